import { seededRandom } from "../support/virtual-clock.js";
import { Heap } from "./heap.js";

/**
 * The virtual world of one run: a clock that jumps from event to event, and one source of randomness. Everything that
 * happens is decided by the seed, so that a run replays exactly.
 */
export class World {
  readonly random: () => number;
  private atMs: number;
  private readonly events = new Heap<{ readonly atMs: number; readonly run: () => void }>(({ atMs }) => atMs);

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

  /** Runs something `afterMs` from now, in whole milliseconds; nothing happens between two events but what the first one set going. */
  after(afterMs: number, run: () => void): void {
    this.events.add({ atMs: this.atMs + Math.max(0, Math.ceil(afterMs)), run });
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
      const next = this.events.first;
      if (next === undefined || next.atMs > untilMs) break;
      this.events.take();
      this.atMs = next.atMs;
      this.happened++;
      next.run();
    }
    this.atMs = untilMs;
  }
}
