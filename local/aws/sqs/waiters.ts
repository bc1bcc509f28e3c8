import type { LocalClock } from "../clock.js";

/** One long poll: tries when there may be something, ends with `otherwise` when its time or its caller is gone. */
export interface Wait<T> {
  readonly untilMs: number;
  readonly signal: AbortSignal | undefined;
  /** Null: nothing for this one yet. */
  attempt(): T | null;
  readonly otherwise: T;
}

/**
 * Long polls in the order in which they came. They are served synchronously, so that no message is handed to a
 * caller that has gone while another one waits.
 */
export class Waiters<T> {
  readonly #waiting = new Set<{ readonly wait: Wait<T>; settle(value: T): void }>();

  #closed: boolean = false;

  constructor(private readonly clock: LocalClock) {}

  wait(wait: Wait<T>): Promise<T> {
    if (this.#closed) return Promise.resolve(wait.otherwise);
    return new Promise((resolve) => {
      const end = (): void => entry.settle(wait.otherwise);
      const cancelTimer = this.clock.at(wait.untilMs, end);
      wait.signal?.addEventListener("abort", end, { once: true });
      const entry = {
        wait,
        settle: (value: T): void => {
          this.#waiting.delete(entry);
          cancelTimer();
          wait.signal?.removeEventListener("abort", end);
          resolve(value);
        },
      };
      this.#waiting.add(entry);
    });
  }

  /** Serves from the front until one finds nothing. */
  serve(): void {
    for (const entry of this.#waiting) {
      const found = entry.wait.attempt();
      if (found === null) return;
      entry.settle(found);
    }
  }

  /** Ends every wait, and every later one at once. */
  close(): void {
    this.#closed = true;
    for (const entry of this.#waiting) entry.settle(entry.wait.otherwise);
  }
}
