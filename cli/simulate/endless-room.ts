import { add, attemptsAtFirst, longer, type Room } from "./room.js";

/** Deliveries that are due together; the first of `counts` have made `made` attempts less than the last ones. */
interface Group {
  /** By attempts made since the group began, newest last: who is at `index` makes attempt `latest - index` next. */
  counts: Float64Array;
  size: number;
  /** The number of the next attempt of who is at index 0. */
  latest: number;
  sum: number;
}

/** The same delay after every attempt, without jitter and without an end: who is due together stays together. */
export class EndlessRoom implements Room {
  present = 0;
  ended = 0;
  firstFailed = 0;
  deliveredBy = new Float64Array(attemptsAtFirst);
  readonly buriedBy = new Float64Array(0);
  private second = 0;
  private readonly groups = new Map<number, Group[]>();
  private here: readonly Group[] = [];

  constructor(private readonly delaySeconds: number) {}

  open(second: number, arriving: number): void {
    this.second = second;
    this.here = this.groups.get(second) ?? [];
    this.groups.delete(second);
    if (arriving > 0) this.here = this.joined(arriving);
    this.present = 0;
    for (const { sum } of this.here) this.present += sum;
  }

  /** New events join who is due now. */
  private joined(arriving: number): readonly Group[] {
    const group = this.here[0] ?? { counts: new Float64Array(attemptsAtFirst), size: 0, latest: 0, sum: 0 };
    // Index 0 keeps the oldest: attempt 1 stands behind all others.
    const index = group.size === 0 ? 0 : group.latest - 1;
    if (group.size === 0) group.latest = 1;
    if (index >= group.counts.length) group.counts = longer(group.counts, 2 * index + 1);
    add(group.counts, index, arriving);
    group.size = Math.max(group.size, index + 1);
    group.sum += arriving;
    return [group, ...this.here.slice(1)];
  }

  settle(taken: number, failsAfterSeconds: number): void {
    for (const group of this.here) {
      if (taken < 1) this.firstFailed += (group.counts[group.latest - 1] ?? 0) * (1 - taken);
      if (taken > 0) this.deliver(group, taken);
      if (taken === 1) continue;
      group.latest += 1;
      const at = this.second + this.delaySeconds + failsAfterSeconds;
      const others = this.groups.get(at);
      if (others === undefined) this.groups.set(at, [group]);
      else others.push(group);
    }
    this.here = [];
  }

  private deliver(group: Group, taken: number): void {
    const { counts, size, latest } = group;
    if (latest >= this.deliveredBy.length) this.deliveredBy = longer(this.deliveredBy, 2 * latest);
    const { deliveredBy } = this;
    const left = 1 - taken;
    for (let index = 0; index < size; index += 1) {
      const due = counts[index] as number;
      deliveredBy[latest - index] = (deliveredBy[latest - index] as number) + due * taken;
      counts[index] = due * left;
    }
    this.ended += group.sum * taken;
    group.sum *= left;
  }
}
