import { QueryCommand } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import type { ParkedSample } from "../../app/control/oldest-parked.js";
import { indexShards, tableLayout } from "../../shared/table-layout.js";
import type { Table } from "./items.js";
import { deliveryKey, duePartition } from "./keys.js";

const { name: indexName, partitionKey } = tableLayout.indexes.due;

/** Together with the shards: what one batch read takes. */
const mostPerShard = 25;

/** The head of each shard of the sparse list of parked deliveries. */
export class DynamoParkedSample implements ParkedSample {
  constructor(private readonly table: Table) {}

  async soonestToEnd(): Promise<readonly string[]> {
    const heads = Array.from({ length: indexShards }, (_, shard) => this.headOf(shard));
    return (await Promise.all(heads)).flat();
  }

  private async headOf(shard: number): Promise<readonly string[]> {
    const { Items = [] } = await this.table.client().send(
      new QueryCommand({
        TableName: this.table.tableName,
        IndexName: indexName,
        KeyConditionExpression: `${partitionKey} = :list`,
        ExpressionAttributeValues: marshall({ ":list": duePartition("PARKED", shard) }),
        Limit: mostPerShard,
      }),
    );
    const { pk: prefix, sk } = deliveryKey("");
    return Items.flatMap((item) => (item["sk"]?.S === sk ? [(item["pk"]?.S ?? "").slice(prefix.length)] : []));
  }
}
