import type { DeliveryIndex, DeliveryList, ListedDelivery, ListRange } from "../../app/admin/ports.js";
import { duePartition, listingPartition, statePartition } from "../aws/keys.js";
import type { MemoryDeliveryTable } from "./memory-delivery-table.js";
import { indexEntries } from "./memory-index.js";

const dueLists = { retry_scheduled: "DUE", parked: "PARKED", dead_lettered: "DEAD" } as const;
const ownerStates = { retry_scheduled: "open", parked: "parked", dead_lettered: "dead" } as const;

/**
 * Lists of the table in memory, each as it is when its first entry is asked for. The bounds of the creation time narrow
 * nothing here: the caller checks them anyway.
 */
export class MemoryDeliveryIndex implements DeliveryIndex {
  constructor(private readonly table: MemoryDeliveryTable) {}

  async *entries(list: DeliveryList, { after, oldestFirst }: ListRange): AsyncGenerator<ListedDelivery> {
    const ascending = oldestFirst === true || (list.kind === "due" && list.state === "retry_scheduled");
    const entries = ascending ? this.listed(list) : this.listed(list).toReversed();
    for (const entry of entries) {
      if (after === null || (ascending ? entry.position > after : entry.position < after)) yield entry;
    }
  }

  private listed(list: DeliveryList): readonly ListedDelivery[] {
    switch (list.kind) {
      case "all": {
        const lists = list.subscriptionIds.map((id) => (shard: number) => listingPartition(id, shard));
        return indexEntries(this.table, ...lists);
      }
      case "state": {
        const name = ownerStates[list.state];
        const lists = list.subscriptionIds.map((id) => (shard: number) => statePartition(id, name, shard));
        return indexEntries(this.table, ...lists);
      }
      case "due":
        return indexEntries(this.table, (shard) => duePartition(dueLists[list.state], shard));
    }
  }
}
