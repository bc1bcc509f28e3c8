/** Pages of a list whose entries have to be read, and perhaps left out. */

/** Entries that one answer looks at: a rare kind in a long list ends in a cursor, not in a timeout. */
const mostExamined = 1_000;
/** Characters of JSON after which a page is full, below the 6 MB that Lambda answers with. */
const fullPage = 4_000_000;
/** BatchGetItem's own limit. */
const readAtOnce = 100;

export interface FoundPage<Found> {
  readonly items: readonly Found[];
  /** Position of the last entry that was used up; null when the list has ended. */
  readonly after: string | null;
}

/**
 * Takes entries until `limit` of them are found. A page may be short, or empty, and still go on: then so many entries
 * were looked at, or so large ones found, that the rest is left to the next request. `read` gives one view per entry;
 * null leaves it out.
 */
export async function findPage<Entry extends { readonly position: string }, Found>(
  entries: AsyncIterable<Entry>,
  limit: number,
  read: (batch: readonly Entry[]) => Promise<ReadonlyArray<Found | null>>,
): Promise<FoundPage<Found>> {
  const items: Found[] = [];
  let [examined, size] = [0, 0];
  for await (const batch of inBatches(entries, Math.min(readAtOnce, limit))) {
    for (const [index, result] of (await read(batch)).entries()) {
      if (result === null) continue;
      items.push(result);
      size += JSON.stringify(result).length;
      if (items.length === limit || size > fullPage) return { items, after: batch[index]?.position ?? null };
    }
    examined += batch.length;
    if (examined >= mostExamined) return { items, after: batch.at(-1)?.position ?? null };
  }
  return { items, after: null };
}

async function* inBatches<Entry>(entries: AsyncIterable<Entry>, size: number): AsyncGenerator<readonly Entry[]> {
  let batch: Entry[] = [];
  for await (const entry of entries) {
    batch.push(entry);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
