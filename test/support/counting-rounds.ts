import { setImmediate as nextTick } from "node:timers/promises";

/**
 * Counts sequential round trips without a clock. Every call takes exactly one round: answers are held back until
 * nothing more is asked for, then all of them are given at the same time. Calls that are made together share a round;
 * a call that needs the answer of another one is in a later round.
 */
export class Rounds {
  #completed = 0;
  #begun = 0;
  #running = 0;
  #held: Array<() => void> = [];
  #ending: Promise<void> | null = null;

  /** Rounds that are over. */
  get completed(): number {
    return this.#completed;
  }

  /** Makes a call; resolves (or rejects) with its answer at the end of its round. */
  async call<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    this.#begun += 1;
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      await this.#endOfRound();
    }
  }

  #endOfRound(): Promise<void> {
    const released = new Promise<void>((resolve) => this.#held.push(resolve));
    this.#ending ??= this.#settle();
    return released;
  }

  async #settle(): Promise<void> {
    let seen: number;
    do {
      seen = this.#begun;
      for (let tick = 0; tick < quietTicks; tick++) await nextTick();
    } while (this.#running > 0 || this.#begun !== seen);
    this.#completed += 1;
    this.#ending = null;
    for (const release of this.#held.splice(0)) release();
  }
}

/** Turns of the event loop without a new call after which none is coming: far more than any code between two calls. */
const quietTicks = 25;
