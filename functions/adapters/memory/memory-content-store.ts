import type { ContentStore } from "../../app/ports.js";
import { ContentMissingError } from "../aws/content-store.js";

/** Packed contents in memory. */
export class MemoryContentStore implements ContentStore {
  readonly contents = new Map<string, Buffer>();

  async put(key: string, packed: Buffer): Promise<void> {
    this.contents.set(key, Buffer.from(packed));
  }

  /** Rejects with {@link ContentMissingError} when there is nothing under the key. */
  async get(key: string): Promise<Buffer> {
    const packed = this.contents.get(key);
    if (packed === undefined) throw new ContentMissingError(`there is no content under ${key}`);
    return Buffer.from(packed);
  }
}
