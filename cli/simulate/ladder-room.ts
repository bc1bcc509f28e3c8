import type { Ladder } from "./ladder.js";
import { add, attemptsAtFirst, longer, type Room } from "./room.js";

/** What is left of additions and subtractions is nobody. */
const nobody = 1e-9;

/** Deliveries on a ladder of delays: for each attempt a ring of seconds, as long as anybody waits. */
export class LadderRoom implements Room {
  present = 0;
  ended = 0;
  firstFailed = 0;
  deliveredBy = new Float64Array(attemptsAtFirst);
  buriedBy = new Float64Array(attemptsAtFirst);
  private slot = 0;
  private attempts = attemptsAtFirst;
  private highest = 1;
  private readonly length: number;
  /** By attempt and second: those due at once, and changes of the number of those spread over several seconds. */
  private atOnce: Float64Array;
  private changes: Float64Array;
  /** By attempt: of the spread ones, how many are due in each second at present; and all who are due now. */
  private spread = new Float64Array(attemptsAtFirst);
  private due = new Float64Array(attemptsAtFirst);
  /** By attempts made: earliest and latest second of the next one, from now; -1: there is none. */
  private from = new Int32Array(0);
  private to = new Int32Array(0);
  private delaysFailAfter = -1;

  /** `failsAfterAtMost`: seconds until a request is known to have failed. */
  constructor(
    private readonly ladder: Ladder,
    failsAfterAtMost: number,
  ) {
    this.length = Math.ceil(ladder.longestDelaySeconds + failsAfterAtMost) + 3;
    this.atOnce = new Float64Array(this.length * this.attempts);
    this.changes = new Float64Array(this.length * this.attempts);
  }

  open(second: number, arriving: number): void {
    this.slot = second % this.length;
    const { atOnce, changes, spread, due, length } = this;
    let present = arriving;
    for (let attempt = 1, at = length + this.slot; attempt <= this.highest; attempt += 1, at += length) {
      const level = (spread[attempt] as number) + (changes[at] as number);
      spread[attempt] = level < nobody ? 0 : level;
      due[attempt] = (spread[attempt] as number) + (atOnce[at] as number);
      present += due[attempt] as number;
      changes[at] = 0;
      atOnce[at] = 0;
    }
    add(due, 1, arriving);
    this.present = present;
  }

  settle(taken: number, failsAfterSeconds: number): void {
    if (this.present === 0) return;
    if (this.highest + 1 >= this.attempts) this.makeRoom();
    if (this.delaysFailAfter !== failsAfterSeconds || this.from.length !== this.attempts) {
      this.computeDelays(failsAfterSeconds);
    }
    this.firstFailed += (this.due[1] as number) * (1 - taken);
    this.ended += taken === 1 ? this.deliverAll() : this.attemptAll(taken);
  }

  private deliverAll(): number {
    const { due, deliveredBy } = this;
    let sum = 0;
    for (let attempt = 1; attempt <= this.highest; attempt += 1) {
      const count = due[attempt] as number;
      deliveredBy[attempt] = (deliveredBy[attempt] as number) + count;
      sum += count;
    }
    return sum;
  }

  /** From the last attempt down, so that nobody is moved on twice; answers how many ended. One loop, for its speed. */
  private attemptAll(taken: number): number {
    const { due, deliveredBy, buriedBy, atOnce, changes, from, to, length, slot, highest } = this;
    const failing = 1 - taken;
    let ended = 0;
    for (let attempt = highest; attempt >= 1; attempt -= 1) {
      const count = due[attempt] as number;
      if (count === 0) continue;
      const failed = count * failing;
      deliveredBy[attempt] = (deliveredBy[attempt] as number) + count * taken;
      ended += count * taken;
      const first = from[attempt] as number;
      const last = to[attempt] as number;
      if (first < 0) {
        buriedBy[attempt] = (buriedBy[attempt] as number) + failed;
        ended += failed;
        continue;
      }
      if (attempt === highest) this.highest = highest + 1;
      const ring = (attempt + 1) * length;
      const start = ring + (slot + first < length ? slot + first : slot + first - length);
      if (first === last) {
        atOnce[start] = (atOnce[start] as number) + failed;
        continue;
      }
      const share = failed / (last - first + 1);
      const end = ring + (slot + last + 1 < length ? slot + last + 1 : slot + last + 1 - length);
      changes[start] = (changes[start] as number) + share;
      changes[end] = (changes[end] as number) - share;
    }
    return ended;
  }

  private computeDelays(failsAfterSeconds: number): void {
    this.delaysFailAfter = failsAfterSeconds;
    this.from = new Int32Array(this.attempts).fill(-1);
    this.to = new Int32Array(this.attempts).fill(-1);
    for (let made = 1; made < this.attempts; made += 1) {
      const band = this.ladder.delayAfter(made);
      if (band === null) break;
      this.from[made] = Math.max(1, Math.round(band.earliestSeconds + failsAfterSeconds));
      this.to[made] = Math.max(this.from[made] as number, Math.round(band.latestSeconds + failsAfterSeconds));
    }
  }

  private makeRoom(): void {
    this.attempts *= 2;
    this.atOnce = longer(this.atOnce, this.length * this.attempts);
    this.changes = longer(this.changes, this.length * this.attempts);
    this.spread = longer(this.spread, this.attempts);
    this.due = longer(this.due, this.attempts);
    this.deliveredBy = longer(this.deliveredBy, this.attempts);
    this.buriedBy = longer(this.buriedBy, this.attempts);
  }
}
