import { indexShards, type tableLayout } from "../../shared/table-layout.js";
import type { MemoryDeliveryTable } from "./memory-delivery-table.js";

/** An index of the table. */
type Index = (typeof tableLayout.indexes)[keyof typeof tableLayout.indexes];

/** An entry of an index. */
export interface IndexEntry {
  readonly deliveryId: string;
  readonly position: string;
}

/** What an index holds of some lists, ascending. A list is named by its partitions: one for each shard. */
export function indexEntries(
  { indexed }: MemoryDeliveryTable,
  index: Index,
  ...lists: readonly ((shard: number) => string)[]
): readonly IndexEntry[] {
  const shards = Array.from({ length: indexShards }, (_, shard) => shard);
  const partitions = new Set(lists.flatMap((partition) => shards.map(partition)));
  return [...indexed]
    .filter(([, keys]) => partitions.has(keys[index.partitionKey] as string))
    .map(([deliveryId, keys]) => ({ deliveryId, position: keys[index.sortKey] as string }))
    .toSorted((a, b) => (a.position < b.position ? -1 : 1));
}
