import type { ParkedList } from "../../app/ports.js";
import { tableLayout } from "../../shared/table-layout.js";
import { statePartition } from "../aws/keys.js";
import type { MemoryDeliveryTable } from "./memory-delivery-table.js";
import { type IndexEntry, indexEntries } from "./memory-index.js";

/** Parked deliveries of the table in memory, in received order. */
export class MemoryParkedList implements ParkedList {
  constructor(private readonly table: MemoryDeliveryTable) {}

  async parkedAfter(subscriptionId: string, after: string | null, limit: number): Promise<readonly IndexEntry[]> {
    const parked = (shard: number) => statePartition(subscriptionId, "parked", shard);
    return indexEntries(this.table, tableLayout.indexes.state, parked)
      .filter(({ position }) => after === null || position > after)
      .slice(0, limit);
  }
}
