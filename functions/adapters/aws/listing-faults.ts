import type { BoundedCount, FaultList, ListedFault, ListRange } from "../../app/admin/ports.js";
import type { Fault } from "../../core/model.js";
import { tableLayout } from "../../shared/table-layout.js";
import { faultFromItem, faultKey } from "./fault-table.js";
import { isKnownVersion } from "./item-version.js";
import { getItems, type Table } from "./items.js";
import { duePartition } from "./keys.js";
import { countDue } from "./listing-counts.js";
import { listStreams, type Stream, sharded } from "./listing-streams.js";

/** The list of faults that wait. */
export class TableFaultList implements FaultList {
  constructor(private readonly table: Table) {}

  entries(range: ListRange): AsyncIterable<ListedFault> {
    return listStreams(this.table, streams, range, true);
  }

  async findFaults(faultIds: readonly string[]): Promise<readonly Fault[]> {
    return (await getItems(this.table, faultIds.map(faultKey))).filter(isKnownVersion).map(faultFromItem);
  }

  count(): Promise<BoundedCount> {
    return countDue(this.table, { list: "FAULT", prefix });
  }
}

const prefix = faultKey("").pk;

/** By the time at which they came. */
const streams: readonly Stream<ListedFault>[] = sharded((shard) => duePartition("FAULT", shard)).map((partition) => ({
  index: tableLayout.indexes.due,
  partition,
  bounded: { since: true, until: true },
  entry: (pk, position) => (pk.startsWith(prefix) ? { faultId: pk.slice(prefix.length), position } : null),
}));
