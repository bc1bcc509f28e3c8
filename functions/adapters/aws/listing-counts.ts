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

  async count(state: UnusualState, sinceMs?: number): Promise<BoundedCount> {
    const from = sinceMs === undefined ? "0" : new Date(sinceMs).toISOString();
    const counts = await Promise.all(
      sharded((shard) => duePartition(lists[state], shard)).map((partition) => this.countFrom(partition, from)),
    );
    return { count: counts.reduce((sum, { count }) => sum + count, 0), atLeast: counts.some(({ atLeast }) => atLeast) };
  }

  private async countFrom(partition: string, from: string): Promise<BoundedCount> {
    let [count, examined] = [0, 0];
    let start: QueryCommandOutput["LastEvaluatedKey"];
    do {
      const query = countQuery(this.table.tableName, partition, from, mostPerShard - examined);
      const page = await this.table.client().send(new QueryCommand({ ...query, ExclusiveStartKey: start }));
      count += page.Count ?? 0;
      examined += page.ScannedCount ?? 0;
      start = page.LastEvaluatedKey;
    } while (start !== undefined && examined < mostPerShard);
    return { count, atLeast: start !== undefined };
  }
}

/** Other kinds of items may stand in the same lists. */
function countQuery(tableName: string, partition: string, from: string, most: number) {
  const { due } = tableLayout.indexes;
  return {
    TableName: tableName,
    IndexName: due.name,
    Select: "COUNT" as const,
    KeyConditionExpression: "#partition = :partition AND #sort >= :from",
    FilterExpression: "begins_with(#pk, :delivery)",
    ExpressionAttributeNames: { "#partition": due.partitionKey, "#sort": due.sortKey, "#pk": tableLayout.partitionKey },
    ExpressionAttributeValues: marshall({ ":partition": partition, ":from": from, ":delivery": deliveryKey("").pk }),
    Limit: most,
  };
}
