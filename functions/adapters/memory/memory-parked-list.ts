import type { ParkedList } from "../../app/ports.js";
import { statePartition, timeKey } from "../aws/keys.js";
import type { MemoryDeliveryTable } from "./memory-delivery-table.js";
import { byPosition, partitionsOf } from "./memory-index.js";
import type { IndexEntry } from "./sorted-entries.js";

/** Parked deliveries of the table in memory, in received order. */
export class MemoryParkedList implements ParkedList {
  constructor(private readonly table: MemoryDeliveryTable) {}

  async parkedAfter(subscriptionId: string, after: string | null, limit: number): Promise<readonly IndexEntry[]> {
    return partitionsOf((shard) => statePartition(subscriptionId, "parked", shard))
      .flatMap((name) => firstOf(this.table.indexes.partition(name, after), limit))
      .toSorted(byPosition)
      .slice(0, limit);
  }

  parkedSince(subscriptionId: string, receivedAtMs: number, limit: number): Promise<readonly IndexEntry[]> {
    return this.parkedAfter(subscriptionId, timeKey(receivedAtMs), limit);
  }
}

function firstOf(entries: Iterable<IndexEntry>, limit: number): IndexEntry[] {
  const first: IndexEntry[] = [];
  for (const entry of entries) {
    if (first.length === limit) break;
    first.push(entry);
  }
  return first;
}
