import { createHash } from "node:crypto";
import db, { type Index, type Item, type Store, type Table } from "dynalite/db/index.js";

type Operation = { type: "put"; key: string; value: unknown } | { type: "del"; key: string };

/** Operations that go to the disk together: few enough to stay small in memory. */
const batchSize = 1000;

/** What a rebuild found. */
export interface RebuildResult {
  readonly items: number;
  /** Index entries that were missing, wrong or stale. */
  readonly repaired: number;
}

/**
 * Makes every index of a table equal to what its items say. dynalite writes an item and its index entries one after
 * the other, so a killed process may leave them apart. One pass over the index entries and one over the items; only
 * what differs is written.
 */
export async function rebuildIndexes(store: Store, table: Table): Promise<RebuildResult> {
  const kinds = [
    { kind: "local", indexes: table.LocalSecondaryIndexes ?? [] },
    { kind: "global", indexes: table.GlobalSecondaryIndexes ?? [] },
  ];
  const present = await readEntries(store, table, kinds);
  const repairs = new Batches(store);
  let items = 0;
  for await (const text of valuesOf(store, `item-${table.TableName}~`)) {
    items += 1;
    const item: Item = JSON.parse(text);
    for (const { kind, indexes } of kinds) {
      for (const put of db.getIndexActions(indexes, undefined, item, table).puts) {
        const key = prefixOf(kind, table, put.index) + put.key;
        const upToDate = present.get(key) === digestOf(JSON.stringify(put.item));
        present.delete(key);
        if (!upToDate) await repairs.add({ type: "put", key, value: put.item });
      }
    }
  }
  // What no item asked for is stale.
  for (const key of present.keys()) await repairs.add({ type: "del", key });
  await repairs.flush();
  return { items, repaired: repairs.count };
}

/** Values under a prefix, as the JSON texts that dynalite stores. */
export function valuesOf(store: Store, prefix: string): AsyncIterable<string> {
  return store.db.values<string, string>({ ...bounds(prefix), valueEncoding: "utf8" });
}

async function readEntries(
  store: Store,
  table: Table,
  kinds: readonly { readonly kind: string; readonly indexes: readonly Index[] }[],
): Promise<Map<string, string>> {
  const entries = new Map<string, string>();
  for (const { kind, indexes } of kinds) {
    for (const index of indexes) {
      const range = { ...bounds(prefixOf(kind, table, index.IndexName)), valueEncoding: "utf8" as const };
      for await (const [key, text] of store.db.iterator<string, string>(range)) entries.set(key, digestOf(text));
    }
  }
  return entries;
}

/** An index that projects whole items is not held in memory: a digest of each entry is. */
const digestOf = (text: string): string => createHash("sha1").update(text).digest("base64");

const prefixOf = (kind: string, table: Table, index: string): string => `index-${kind}~${table.TableName}~${index}~`;

/** Every prefix ends in `~`, and the character after it ends the range. */
const bounds = (prefix: string): { gte: string; lt: string } => ({ gte: prefix, lt: `${prefix.slice(0, -1)}\u007f` });

class Batches {
  #pending: Operation[] = [];
  count = 0;

  constructor(private readonly store: Store) {}

  async add(operation: Operation): Promise<void> {
    this.count += 1;
    if (this.#pending.push(operation) >= batchSize) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#pending.length > 0) await this.store.db.batch(this.#pending);
    this.#pending = [];
  }
}
