import type { EventList, EventSelection, ListedEvent, ListRange } from "../../app/admin/ports.js";
import type { Clock, StoredEvent } from "../../app/ports.js";
import { tableLayout } from "../../shared/table-layout.js";
import { eventFromItem } from "./event-table.js";
import { isKnownVersion } from "./item-version.js";
import { getItems, isExpired, type Table } from "./items.js";
import { eventKey, statePartition } from "./keys.js";
import { deliveryStreams } from "./listing-index.js";
import { listStreams, type Stream, sharded } from "./listing-streams.js";

/** Lists of events: no index holds all of them, so that those with deliveries are found by these. */
export class TableEventList implements EventList {
  constructor(
    private readonly table: Table,
    private readonly now: Clock,
  ) {}

  entries({ sourceIds, states, subscriptionIds }: EventSelection, range: ListRange): AsyncIterable<ListedEvent> {
    const streams = [
      ...sourceIds.flatMap((sourceId) => states.flatMap((each) => eventStreams(sourceId, each))),
      ...subscriptionIds.flatMap(deliveryStreams).map(unboundedAbove),
    ];
    return listStreams<ListedEvent>(this.table, streams, range, true);
  }

  async findEvents(eventIds: readonly string[]): Promise<readonly StoredEvent[]> {
    const items = await getItems(this.table, [...new Set(eventIds)].map(eventKey));
    return items.filter((item) => !isExpired(item, this.now()) && isKnownVersion(item)).map(eventFromItem);
  }
}

const { state } = tableLayout.indexes;

/** By time of receipt. */
const eventStreams = (sourceId: string, owned: "undelivered" | "quarantined"): readonly Stream<ListedEvent>[] =>
  sharded((shard) => statePartition(sourceId, owned, shard)).map((partition) => ({
    index: state,
    partition,
    bounded: { since: true, until: true },
    entry: (pk, position) =>
      pk.startsWith(eventPrefix) ? { kind: owned, eventId: pk.slice(eventPrefix.length), position } : null,
  }));

/** A delivery is created after its event was received: no upper bound of the receipt narrows it. */
const unboundedAbove = (stream: ReturnType<typeof deliveryStreams>[number]): Stream<ListedEvent> => ({
  ...stream,
  bounded: { since: true, until: false },
  entry: (pk, position) => {
    const listed = stream.entry(pk, position);
    return listed === null ? null : { kind: "delivered", ...listed };
  },
});

const eventPrefix = eventKey("").pk;
