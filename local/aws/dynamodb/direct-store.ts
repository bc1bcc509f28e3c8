import type { Store } from "dynalite/db/index.js";

type Operation =
  | { readonly type: "put"; readonly key: string; readonly value: unknown }
  | { readonly type: "del"; readonly key: string };
type Callback = (error: Error | null, value?: unknown) => void;

/**
 * Takes the detours out of dynalite's way to LevelDB. It reads the table's description and the item for each request,
 * and writes each index entry by itself; every such call goes through a thread of Node's pool, and the waking costs
 * more than the work. Here a read is answered from where LevelDB has it, mostly memory, and writes that come while
 * another one is under way go to the disk together, in their order.
 */
export function makeDirect(store: Store): void {
  const { db } = store;
  const writes = new WriteQueue((operations) => db.batch(operations));
  Object.assign(db, {
    get(key: string, callback: Callback) {
      let value: unknown;
      let problem: Error | null = null;
      try {
        value = db.getSync(key);
      } catch (error) {
        problem = error as Error;
      }
      // dynalite expects its callbacks later, never within the call.
      setImmediate(callback, problem, value);
    },
    put: (key: string, value: unknown, callback: Callback) => writes.add({ type: "put", key, value }, callback),
    del: (key: string, callback: Callback) => writes.add({ type: "del", key }, callback),
  });
}

class WriteQueue {
  #waiting: Array<{ readonly operation: Operation; readonly callback: Callback }> = [];
  #writing: boolean = false;

  constructor(private readonly write: (operations: Operation[]) => Promise<void>) {}

  add(operation: Operation, callback: Callback): void {
    this.#waiting.push({ operation, callback });
    if (this.#writing) return;
    this.#writing = true;
    // What the same turn of the event loop still adds goes along.
    setImmediate(() => void this.#flush());
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      const problem = await this.write(batch.map(({ operation }) => operation)).then(
        () => null,
        (error: Error) => error,
      );
      for (const { callback } of batch) setImmediate(callback, problem);
    }
    this.#writing = false;
  }
}
