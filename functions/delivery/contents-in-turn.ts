import type { ContentStore } from "../app/ports.js";

/**
 * Reads contents one after the other. An invocation may need ten of them that are as large as the gateway takes them,
 * and while one arrives it takes its size two or three times: so does one at a time, where ten would fill the memory.
 */
export class ContentsInTurn implements ContentStore {
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly contents: ContentStore) {}

  put(key: string, packed: Buffer): Promise<void> {
    return this.contents.put(key, packed);
  }

  get(key: string): Promise<Buffer> {
    const read = this.last.then(() => this.contents.get(key));
    // What becomes of one is no matter of the next.
    this.last = read.catch(() => {});
    return read;
  }
}
