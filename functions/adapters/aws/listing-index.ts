import { QueryCommand, type QueryCommandInput } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import type { DeliveryIndex, DeliveryList, ListedDelivery, ListRange, UnusualState } from "../../app/admin/ports.js";
import { indexShards, tableLayout } from "../../shared/table-layout.js";
import type { Table } from "./items.js";
import { type DueList, deliveryKey, duePartition, listingPartition, type OwnerState, statePartition } from "./keys.js";
import { mergeStreams, type ReadNext } from "./listing-merge.js";

/** Lists of deliveries: the partitions of an index, each in order, merged into one list. */

interface Index {
  readonly name: string;
  readonly partitionKey: string;
  readonly sortKey: string;
}

type Start = QueryCommandInput["ExclusiveStartKey"];

/** What one list is made of. */
interface Plan {
  readonly index: Index;
  readonly partitions: readonly string[];
  readonly descending: boolean;
  /** Whether entries before `sinceMs`, or from `untilMs` on, can be told by their place in the order. */
  readonly bounded: { readonly since: boolean; readonly until: boolean };
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

export class TableDeliveryIndex implements DeliveryIndex {
  constructor(private readonly table: Table) {}

  entries(list: DeliveryList, range: ListRange): AsyncIterable<ListedDelivery> {
    const plan = planOf(list);
    // Each stream holds a part of the page only: reading twice the fair share saves most second reads.
    const pageSize = Math.max(4, Math.ceil((2 * range.expected) / plan.partitions.length));
    const readers = plan.partitions.map((partition) => this.reader(plan, partition, range, pageSize));
    return mergeStreams(readers, { after: range.after, descending: plan.descending });
  }

  private reader(plan: Plan, partition: string, range: ListRange, pageSize: number): ReadNext<ListedDelivery> {
    let ended = false;
    return async (after) => {
      const found: ListedDelivery[] = [];
      let start: Start;
      while (!ended && found.length === 0) {
        const query = queryOf(plan, partition, after, range, pageSize);
        const command = new QueryCommand({ TableName: this.table.tableName, ...query, ExclusiveStartKey: start });
        const answer = await this.table.client().send(command);
        const entries = (answer.Items ?? []).map((item) => ({
          pk: item["pk"]?.S ?? "",
          position: item[plan.index.sortKey]?.S ?? "",
        }));
        found.push(...entries.filter(({ pk, position }) => isDelivery(pk) && position !== after).map(listed));
        start = answer.LastEvaluatedKey;
        ended = start === undefined;
      }
      return found;
    };
  }
}

function planOf(list: DeliveryList): Plan {
  switch (list.kind) {
    case "all":
      return {
        index: listing,
        partitions: sharded(list.subscriptionIds, listingPartition),
        descending: true,
        bounded: { since: true, until: true },
      };
    case "state":
      // By time of receipt, which is never after the creation: no lower bound.
      return {
        index: state,
        partitions: sharded(list.subscriptionIds, (id, shard) => statePartition(id, ownerStates[list.state], shard)),
        descending: true,
        bounded: { since: false, until: true },
      };
    case "due":
      // By a time that is never before the creation: no upper bound. A due time moves on only, so that the list of
      // what is due is read upwards: a delivery that moves while pages are read is shown again rather than skipped.
      return {
        index: due,
        partitions: sharded([dueLists[list.state]], (name, shard) => duePartition(name as DueList, shard)),
        descending: list.state !== "retry_scheduled",
        bounded: { since: true, until: false },
      };
    default:
      return assertNever(list);
  }
}

const sharded = (names: readonly string[], partition: (name: string, shard: number) => string): readonly string[] =>
  names.flatMap((name) => Array.from({ length: indexShards }, (_, shard) => partition(name, shard)));

/** Sort keys are `<ISO time>#<id>`: these are before and after all of them. */
const lowest = "0";
const highest = "~";

function queryOf(plan: Plan, partition: string, after: string | null, range: ListRange, pageSize: number) {
  const { index, descending, bounded } = plan;
  const since = bounded.since && range.sinceMs !== null ? new Date(range.sinceMs).toISOString() : lowest;
  const until = bounded.until && range.untilMs !== null ? new Date(range.untilMs).toISOString() : highest;
  const low = after === null || descending ? since : after;
  const high = after === null || !descending ? until : after;
  // A range that ends before it begins is an error to DynamoDB; this one holds nothing.
  const [first, last] = low < high ? [low, high] : [low, low];
  return {
    IndexName: index.name,
    KeyConditionExpression: "#partition = :partition AND #sort BETWEEN :low AND :high",
    ExpressionAttributeNames: { "#partition": index.partitionKey, "#sort": index.sortKey },
    ExpressionAttributeValues: marshall({ ":partition": partition, ":low": first, ":high": last }),
    ScanIndexForward: !descending,
    // The bounds are inclusive: the entry to go on after comes once more, and is left out.
    Limit: pageSize + 1,
  };
}

const deliveryPrefix = deliveryKey("").pk;

/** Other kinds of items may stand in the lists of what is due. */
const isDelivery = (pk: string): boolean => pk.startsWith(deliveryPrefix);

const listed = ({ pk, position }: { readonly pk: string; readonly position: string }): ListedDelivery => ({
  deliveryId: pk.slice(deliveryPrefix.length),
  position,
});

function assertNever(value: never): never {
  throw new Error(`unknown list: ${JSON.stringify(value)}`);
}
