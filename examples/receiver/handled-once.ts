/** Ids that are remembered. The relay sends a duplicate within its policy's time, so this must hold that many events. */
const mostIds = 10_000;

/**
 * Runs the work of each id once. A duplicate that comes while the first is still at work waits for it; work that failed
 * is forgotten, so that the next attempt does it.
 *
 * In memory, for one process: what has been handled is forgotten at a restart, and other processes do not know it. In
 * production keep the ids where the work's result is kept, best in the same transaction (a table with the id as its
 * key), or use a conditional write as `lambda.ts` does.
 */
export class HandledOnce {
  readonly #results = new Map<string, Promise<void>>();

  constructor(private readonly most = mostIds) {}

  /** True when this call did the work, false when it had been done. */
  async run(id: string, work: () => Promise<void>): Promise<boolean> {
    const earlier = this.#results.get(id);
    if (earlier !== undefined) {
      await earlier;
      return false;
    }
    const result = work();
    this.#results.set(id, result);
    this.#forgetOldest();
    try {
      await result;
      return true;
    } catch (error) {
      this.#results.delete(id);
      throw error;
    }
  }

  #forgetOldest(): void {
    const [oldest] = this.#results.keys();
    if (this.#results.size > this.most && oldest !== undefined) this.#results.delete(oldest);
  }
}
