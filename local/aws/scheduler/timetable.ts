import type { LocalClock } from "../clock.js";
import { type DueEntry, DueHeap } from "../due-heap.js";

/** What runs side by side; the rest of a burst waits its turn. */
const maximumRunning = 100;

/** Runs each thing at its planned time, never the same one twice at once, from one timer. */
export class Timetable<T extends object> {
  readonly #due = new DueHeap<T>();
  readonly #entries = new Map<T, DueEntry<T>>();
  readonly #running = new Map<T, Promise<void>>();
  #timer: { readonly atMs: number; readonly cancel: () => void } | null = null;
  #closed: boolean = false;

  constructor(
    private readonly clock: LocalClock,
    /** Must not reject. */
    private readonly run: (thing: T) => Promise<void>,
  ) {}

  /** Replaces an earlier plan. */
  plan(thing: T, atMs: number): void {
    this.cancel(thing);
    this.#entries.set(thing, this.#due.push(atMs, thing));
    this.#arm();
  }

  /** What runs already goes on. */
  cancel(thing: T): void {
    const entry = this.#entries.get(thing);
    if (entry !== undefined) this.#due.remove(entry);
    this.#entries.delete(thing);
  }

  /** Starts nothing more, and waits for what runs. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await Promise.all(this.#running.values());
  }

  #arm(): void {
    const next = this.#due.peek();
    if (next === undefined || this.#closed || this.#running.size >= maximumRunning) return;
    if (this.#timer !== null && this.#timer.atMs <= next.dueAtMs) return;
    this.#timer?.cancel();
    const cancel = this.clock.at(next.dueAtMs, () => {
      this.#timer = null;
      this.#runDue();
    });
    this.#timer = { atMs: next.dueAtMs, cancel };
  }

  #runDue(): void {
    while (!this.#closed && this.#running.size < maximumRunning) {
      const thing = this.#due.popDue(this.clock.now());
      if (thing === undefined) break;
      this.#entries.delete(thing);
      this.#start(thing);
    }
    this.#arm();
  }

  /** Planned again while it runs: it runs again afterwards. */
  #start(thing: T): void {
    const before = this.#running.get(thing) ?? Promise.resolve();
    const running: Promise<void> = before
      .then(() => this.run(thing))
      .finally(() => {
        if (this.#running.get(thing) === running) this.#running.delete(thing);
        this.#arm();
      });
    this.#running.set(thing, running);
  }
}
