import { seededRandom } from "../support/virtual-clock.js";

/**
 * The virtual world of one run: a clock that jumps from event to event, and one source of randomness. Everything that
 * happens is decided by the seed, so that a run replays exactly.
 */
export class World {
  readonly random: () => number;
  private atMs: number;
  private readonly events: { readonly atMs: number; readonly order: number; readonly run: () => void }[] = [];
  private scheduled = 0;

  constructor(seed: number, startMs = Date.UTC(2026, 0, 1)) {
    this.random = seededRandom(seed);
    this.atMs = startMs;
  }

  /** The true time; functions may see another, see {@link FunctionHost}. */
  readonly now = (): number => this.atMs;

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.random() < probability;
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.random() * (most - least + 1));
  }

  pick<Value>(values: readonly Value[]): Value {
    const value = values[Math.floor(this.random() * values.length)];
    if (value === undefined) throw new Error("nothing to pick from");
    return value;
  }

  /** Runs something `afterMs` from now; nothing happens between two events but what the first one set going. */
  after(afterMs: number, run: () => void): void {
    const event = { atMs: this.atMs + Math.max(0, afterMs), order: this.scheduled++, run };
    let index = this.events.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(this.events[index], this.events[parent])) break;
      this.swap(index, parent);
      index = parent;
    }
  }

  /** A promise that resolves `afterMs` from now. */
  wait(afterMs: number): Promise<void> {
    return new Promise((resolve) => this.after(afterMs, resolve));
  }

  /** Events that have happened. */
  happened = 0;

  /** Runs events until there are none, `untilMs` is reached, or it is `over` before. */
  async run(untilMs: number, over: () => boolean = () => false): Promise<void> {
    while (!over()) {
      // All promises that the last event settled run to their next wait before the clock moves on.
      await new Promise((resolve) => setImmediate(resolve));
      const next = this.events[0];
      if (next === undefined || next.atMs > untilMs) break;
      this.take();
      this.atMs = next.atMs;
      this.happened++;
      next.run();
    }
    this.atMs = untilMs;
  }

  private take(): void {
    const last = this.events.pop();
    if (last === undefined || this.events.length === 0) return;
    this.events[0] = last;
    for (let index = 0; ; ) {
      const left = 2 * index + 1;
      const right = left + 1;
      const least = isBefore(this.events[right], this.events[left]) ? right : left;
      if (!isBefore(this.events[least], this.events[index])) break;
      this.swap(index, least);
      index = least;
    }
  }

  private swap(a: number, b: number): void {
    const event = this.events[a];
    const other = this.events[b];
    if (event === undefined || other === undefined) return;
    this.events[a] = other;
    this.events[b] = event;
  }
}

interface Ordered {
  readonly atMs: number;
  readonly order: number;
}

function isBefore(a: Ordered | undefined, b: Ordered | undefined): boolean {
  if (a === undefined) return false;
  return b === undefined || a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
