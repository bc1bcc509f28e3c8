import type { DeliveryIndex, DeliveryList, ListedDelivery, ListRange, UnusualState } from "../../app/admin/ports.js";
import { tableLayout } from "../../shared/table-layout.js";
import type { Table } from "./items.js";
import { type DueList, deliveryKey, duePartition, listingPartition, type OwnerState, statePartition } from "./keys.js";
import { listStreams, type Stream, sharded } from "./listing-streams.js";

/** Lists of deliveries. */
export class TableDeliveryIndex implements DeliveryIndex {
  constructor(private readonly table: Table) {}

  entries(list: DeliveryList, range: ListRange): AsyncIterable<ListedDelivery> {
    // A due time moves on only, so that the list of what is due is read upwards: a delivery that moves while pages are
    // read is shown again rather than skipped.
    const ascending = range.oldestFirst === true || (list.kind === "due" && list.state === "retry_scheduled");
    return listStreams(this.table, streamsOf(list), range, !ascending);
  }
}

const { listing, state, due } = tableLayout.indexes;

const dueLists: Readonly<Record<UnusualState, DueList>> = {
  retry_scheduled: "DUE",
  parked: "PARKED",
  dead_lettered: "DEAD",
};

const ownerStates: Readonly<Record<UnusualState, OwnerState>> = {
  retry_scheduled: "open",
  parked: "parked",
  dead_lettered: "dead",
};

type DeliveryStream = Stream<ListedDelivery>;

function streamsOf(list: DeliveryList): readonly DeliveryStream[] {
  switch (list.kind) {
    case "all":
      return list.subscriptionIds.flatMap(deliveryStreams);
    case "state":
      return list.subscriptionIds.flatMap((id) => stateStreams(id, ownerStates[list.state]));
    case "due":
      return dueStreams(dueLists[list.state]);
    default:
      return assertNever(list);
  }
}

/** Every delivery of a subscription, by its creation. */
export const deliveryStreams = (subscriptionId: string): readonly DeliveryStream[] =>
  sharded((shard) => listingPartition(subscriptionId, shard)).map((partition) => ({
    index: listing,
    partition,
    bounded: { since: true, until: true },
    entry: deliveryEntry,
  }));

/** By time of receipt, which is never after the creation: no lower bound. */
const stateStreams = (subscriptionId: string, owned: OwnerState): readonly DeliveryStream[] =>
  sharded((shard) => statePartition(subscriptionId, owned, shard)).map((partition) => ({
    index: state,
    partition,
    bounded: { since: false, until: true },
    entry: deliveryEntry,
  }));

/** By a time that is never before the creation: no upper bound. */
const dueStreams = (list: DueList): readonly DeliveryStream[] =>
  sharded((shard) => duePartition(list, shard)).map((partition) => ({
    index: due,
    partition,
    bounded: { since: true, until: false },
    entry: deliveryEntry,
  }));

const deliveryPrefix = deliveryKey("").pk;

/** Other kinds of items may stand in the lists of what is due. */
const deliveryEntry = (pk: string, position: string): ListedDelivery | null =>
  pk.startsWith(deliveryPrefix) ? { deliveryId: pk.slice(deliveryPrefix.length), position } : null;

function assertNever(value: never): never {
  throw new Error(`unknown list: ${JSON.stringify(value)}`);
}
