import { QueryCommand, type QueryCommandOutput } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import type { BoundedCount, DeliveryCounts, UnusualState } from "../../app/admin/ports.js";
import { tableLayout } from "../../shared/table-layout.js";
import type { Table } from "./items.js";
import { type DueList, deliveryKey, duePartition } from "./keys.js";
import { sharded } from "./listing-streams.js";

/**
 * Entries that are looked at in one shard: about a megabyte of keys, however many more there are. Ids are spread evenly,
 * so that all shards reach it at about the same time.
 */
const mostPerShard = 5_000;

const lists: Readonly<Record<UnusualState, DueList>> = {
  retry_scheduled: "DUE",
  parked: "PARKED",
  dead_lettered: "DEAD",
};

/** Counts in the sparse index of what is due, parked or dead: keys are read, no items. */
export class TableDeliveryCounts implements DeliveryCounts {
  constructor(private readonly table: Table) {}

  count(state: UnusualState, sinceMs?: number): Promise<BoundedCount> {
    return countDue(this.table, { list: lists[state], prefix: deliveryKey("").pk, sinceMs });
  }
}

/** What is counted: other kinds of items may stand in the same list. */
interface Counted {
  readonly list: DueList;
  /** How the keys of the wanted kind begin. */
  readonly prefix: string;
  /** Only what came into the list since then. */
  readonly sinceMs?: number | undefined;
}

/** Counts one kind of items in a list of what is due, up to the bound. */
export async function countDue(table: Table, { list, prefix, sinceMs }: Counted): Promise<BoundedCount> {
  const from = sinceMs === undefined ? "0" : new Date(sinceMs).toISOString();
  const counts = await Promise.all(
    sharded((shard) => duePartition(list, shard)).map((partition) => countFrom(table, partition, prefix, from)),
  );
  return { count: counts.reduce((sum, { count }) => sum + count, 0), atLeast: counts.some(({ atLeast }) => atLeast) };
}

async function countFrom(table: Table, partition: string, prefix: string, from: string): Promise<BoundedCount> {
  let [count, examined] = [0, 0];
  let start: QueryCommandOutput["LastEvaluatedKey"];
  do {
    const query = countQuery(partition, prefix, from, mostPerShard - examined);
    const page = await table
      .client()
      .send(new QueryCommand({ TableName: table.tableName, ...query, ExclusiveStartKey: start }));
    count += page.Count ?? 0;
    examined += page.ScannedCount ?? 0;
    start = page.LastEvaluatedKey;
  } while (start !== undefined && examined < mostPerShard);
  return { count, atLeast: start !== undefined };
}

function countQuery(partition: string, prefix: string, from: string, most: number) {
  const { due } = tableLayout.indexes;
  return {
    IndexName: due.name,
    Select: "COUNT" as const,
    KeyConditionExpression: "#partition = :partition AND #sort >= :from",
    FilterExpression: "begins_with(#pk, :prefix)",
    ExpressionAttributeNames: { "#partition": due.partitionKey, "#sort": due.sortKey, "#pk": tableLayout.partitionKey },
    ExpressionAttributeValues: marshall({ ":partition": partition, ":from": from, ":prefix": prefix }),
    Limit: most,
  };
}
