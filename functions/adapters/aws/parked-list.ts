import { QueryCommand } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import type { ParkedList } from "../../app/ports.js";
import { indexShards, tableLayout } from "../../shared/table-layout.js";
import type { Table } from "./items.js";
import { deliveryKey, statePartition, timeKey } from "./keys.js";

const { name: indexName, partitionKey, sortKey } = tableLayout.indexes.state;

/** Parked deliveries by the `state` index, its shards merged. */
export class DynamoParkedList implements ParkedList {
  constructor(private readonly table: Table) {}

  async parkedAfter(subscriptionId: string, after: string | null, limit: number) {
    const shards = Array.from({ length: indexShards }, (_value, shard) => shard);
    const pages = await Promise.all(shards.map((shard) => this.shardAfter(subscriptionId, shard, after, limit)));
    return pages
      .flat()
      .toSorted((a, b) => (a.position < b.position ? -1 : 1))
      .slice(0, limit);
  }

  parkedSince(subscriptionId: string, receivedAtMs: number, limit: number) {
    return this.parkedAfter(subscriptionId, timeKey(receivedAtMs), limit);
  }

  private async shardAfter(subscriptionId: string, shard: number, after: string | null, limit: number) {
    const answer = await this.table.client().send(
      new QueryCommand({
        TableName: this.table.tableName,
        IndexName: indexName,
        KeyConditionExpression: `${partitionKey} = :owner AND ${sortKey} > :after`,
        // "!" sorts before every timestamp.
        ExpressionAttributeValues: marshall({
          ":owner": statePartition(subscriptionId, "parked", shard),
          ":after": after ?? "!",
        }),
        Limit: limit,
      }),
    );
    return (answer.Items ?? [])
      .map((item) => unmarshall(item))
      .map((item) => ({
        deliveryId: (item["pk"] as string).slice(deliveryKey("").pk.length),
        position: item[sortKey] as string,
      }));
  }
}
