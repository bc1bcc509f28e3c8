/** An entry of an index. */
export interface IndexEntry {
  readonly deliveryId: string;
  readonly position: string;
}

/** Entries of a chunk: few enough that one more or less moves little memory. */
const chunkSize = 512;

/** Entries in order of their positions, in chunks: each change costs little, however many there are. */
export class SortedEntries {
  /** Never empty ones, except for the only one. */
  private readonly chunks: IndexEntry[][] = [[]];

  add(position: string, deliveryId: string): void {
    const at = this.chunkOf(position);
    const chunk = this.chunks[at] as IndexEntry[];
    chunk.splice(firstFrom(chunk, position), 0, { deliveryId, position });
    if (chunk.length > chunkSize) this.chunks.splice(at + 1, 0, chunk.splice(chunkSize / 2));
  }

  remove(position: string, deliveryId: string): void {
    const at = this.chunkOf(position);
    const chunk = this.chunks[at] as IndexEntry[];
    const index = firstFrom(chunk, position);
    if (chunk[index]?.deliveryId !== deliveryId) return;
    chunk.splice(index, 1);
    if (chunk.length === 0 && this.chunks.length > 1) this.chunks.splice(at, 1);
  }

  /** Those behind a position; null: all. */
  *after(position: string | null): Generator<IndexEntry> {
    const start = position === null ? 0 : this.chunkOf(position);
    for (let at = start; at < this.chunks.length; at++) {
      for (const entry of this.chunks[at] as IndexEntry[]) {
        if (position === null || entry.position > position) yield entry;
      }
    }
  }

  /** The chunk that holds the position, or would. */
  private chunkOf(position: string): number {
    let [low, high] = [0, this.chunks.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      const last = this.chunks[middle]?.at(-1);
      if (last !== undefined && last.position < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Index of the first entry that is not before the position. */
function firstFrom(entries: readonly IndexEntry[], position: string): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle] as IndexEntry).position < position) low = middle + 1;
    else high = middle;
  }
  return low;
}
