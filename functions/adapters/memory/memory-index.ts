import { indexShards, tableLayout } from "../../shared/table-layout.js";
import type { ItemChanges } from "../aws/delivery-item.js";
import { type IndexEntry, SortedEntries } from "./sorted-entries.js";

/** The index keys of deliveries, and the lists that they make: kept in order at each write, as the real ones are. */
export class MemoryIndexes {
  private readonly keys = new Map<string, ItemChanges>();
  private readonly lists = new Map<string, SortedEntries>();

  /** The index keys of a delivery, under their names. */
  keysOf(deliveryId: string): ItemChanges | undefined {
    return this.keys.get(deliveryId);
  }

  /** Sets the index keys among `changes`, or removes them where they are undefined. */
  change(deliveryId: string, changes: ItemChanges): void {
    const before = this.keys.get(deliveryId) ?? {};
    const after = { ...before };
    for (const { partitionKey, sortKey } of Object.values(tableLayout.indexes)) {
      if (partitionKey in changes) after[partitionKey] = changes[partitionKey];
      if (sortKey in changes) after[sortKey] = changes[sortKey];
      if (before[partitionKey] === after[partitionKey] && before[sortKey] === after[sortKey]) continue;
      this.listAt(before[partitionKey])?.remove(before[sortKey] as string, deliveryId);
      this.listAt(after[partitionKey])?.add(after[sortKey] as string, deliveryId);
    }
    this.keys.set(deliveryId, after);
  }

  /** One partition's entries after a position (null: from the first), ascending. */
  partition(name: string, after: string | null = null): Iterable<IndexEntry> {
    return this.lists.get(name)?.after(after) ?? [];
  }

  private listAt(partition: unknown): SortedEntries | undefined {
    if (typeof partition !== "string") return undefined;
    const list = this.lists.get(partition) ?? new SortedEntries();
    this.lists.set(partition, list);
    return list;
  }
}

/** What an index holds of some lists, ascending. A list is named by its partitions: one for each shard. */
export function indexEntries(
  { indexes }: { readonly indexes: MemoryIndexes },
  ...lists: readonly ((shard: number) => string)[]
): readonly IndexEntry[] {
  return partitionsOf(...lists)
    .flatMap((name) => [...indexes.partition(name)])
    .toSorted(byPosition);
}

/** The partitions of some lists. */
export function partitionsOf(...lists: readonly ((shard: number) => string)[]): readonly string[] {
  const shards = Array.from({ length: indexShards }, (_, shard) => shard);
  return [...new Set(lists.flatMap((partition) => shards.map(partition)))];
}

export const byPosition = (a: IndexEntry, b: IndexEntry): number => (a.position < b.position ? -1 : 1);
