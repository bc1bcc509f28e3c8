import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { StartError } from "../start-error.js";

export type WriteOperation =
  | { readonly type: "put"; readonly key: string; readonly value: string }
  | { readonly type: "del"; readonly key: string };

/** The data folder is in use by another process. */
export class DataFolderInUseError extends StartError {
  override readonly name = "DataFolderInUseError";
}

/**
 * What queues, schedules, objects and keys survive in: one LevelDB in the data folder, written through. A resolved
 * write survives `kill -9` (the operating system has it), not a power cut. LevelDB's lock keeps a second process out
 * and goes away with its owner.
 */
export class StateStore {
  readonly #db: ClassicLevel<string, string>;
  #pending: WriteOperation[] = [];
  #next: Promise<void> | null = null;
  #last: Promise<void> = Promise.resolve();

  private constructor(db: ClassicLevel<string, string>) {
    this.#db = db;
  }

  /** @throws {DataFolderInUseError} when another process holds the folder. */
  static async open(dataDir: string): Promise<StateStore> {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const db = new ClassicLevel<string, string>(join(dataDir, "state"));
    try {
      await db.open();
    } catch (error) {
      const cause = (error as { cause?: { code?: string } }).cause;
      if (cause?.code !== "LEVEL_LOCKED") throw error;
      throw new DataFolderInUseError(
        `The data folder ${dataDir} is in use by another running process: stop that one, or choose another folder.`,
        { cause: error },
      );
    }
    return new StateStore(db);
  }

  /**
   * Applies the operations together, after every earlier write; concurrent writers share one batch, which is what
   * makes thousands of small writes a second possible.
   */
  write(operations: readonly WriteOperation[]): Promise<void> {
    for (const operation of operations) this.#pending.push(operation);
    if (this.#next === null) {
      const flush = (): Promise<void> => {
        const batch = this.#pending;
        this.#pending = [];
        this.#next = null;
        return this.#db.batch(batch);
      };
      this.#next = this.#last.then(flush, flush);
      this.#last = this.#next;
    }
    return this.#next;
  }

  get(key: string): Promise<string | undefined> {
    return this.#db.get(key);
  }

  /** At once: LevelDB has it in memory, mostly, and the way through a thread would take longer than the reading. */
  getNow(key: string): string | undefined {
    return this.#db.getSync(key);
  }

  /** Entries whose key starts with `prefix`, in byte order of their keys; `after` (a whole key) leaves out up to it. */
  range(prefix: string, after?: string): AsyncIterable<[key: string, value: string]> {
    // Keys are UTF-8: 0xFF occurs in none, and U+10FFFF is the last character there is.
    const upper = `${prefix}\u{10ffff}`;
    const afterPrefix = after !== undefined && Buffer.compare(Buffer.from(after), Buffer.from(prefix)) >= 0;
    return this.#db.iterator(afterPrefix ? { gt: after, lt: upper } : { gte: prefix, lt: upper });
  }

  /** Waits for every write, then frees the folder. */
  async close(): Promise<void> {
    await this.#last.catch(() => undefined);
    await this.#db.close();
  }
}
