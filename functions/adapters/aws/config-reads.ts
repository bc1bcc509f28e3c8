import { BatchGetItemCommand, type DynamoDBClient, GetItemCommand, paginateQuery } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import { hasExpired, type Item } from "./config-items.js";
import { type Key, subscriptionPrefix } from "./keys.js";

/** Where the relay's items are. */
export interface ConfigTable {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}

/** One item; null when absent or expired. */
export async function readItem(table: ConfigTable, key: Key, nowMs: number, consistent: boolean): Promise<Item | null> {
  const answer = await table.client.send(
    new GetItemCommand({ TableName: table.tableName, Key: marshall(key), ConsistentRead: consistent }),
  );
  return answer.Item === undefined || hasExpired(answer.Item, nowMs) ? null : answer.Item;
}

/** Which of a source's subscription items to read. */
export interface SubscriptionRange {
  readonly consistent: boolean;
  /** Sort key to go on after; null: from the first. */
  readonly afterKey?: Key | null;
  readonly pageSize?: number;
}

/** Pages of the subscription items of a source, tombstones included, in order of their ids. */
export async function* subscriptionPages(
  table: ConfigTable,
  partition: string,
  nowMs: number,
  range: SubscriptionRange,
): AsyncGenerator<readonly Item[]> {
  const pages = paginateQuery(
    { client: table.client, ...(range.afterKey ? { startingToken: marshall(range.afterKey) } : {}) },
    {
      TableName: table.tableName,
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
      ExpressionAttributeValues: marshall({ ":pk": partition, ":prefix": subscriptionPrefix }),
      ConsistentRead: range.consistent,
      ...(range.pageSize === undefined ? {} : { Limit: range.pageSize }),
    },
  );
  for await (const page of pages) yield (page.Items ?? []).filter((item) => !hasExpired(item, nowMs));
}

/** BatchGetItem's own limit. */
const batchSize = 100;
/** A batch comes back short when it exceeds 16 MB or the table is throttled; more rounds than this is an outage. */
const mostRounds = 8;

/** Consistent reads of many items, in no order; absent ones are left out. */
export async function readItems(table: ConfigTable, keys: readonly Key[]): Promise<readonly Item[]> {
  const batches = Array.from({ length: Math.ceil(keys.length / batchSize) }, (_, index) =>
    keys.slice(index * batchSize, (index + 1) * batchSize),
  );
  return (await Promise.all(batches.map((batch) => readBatch(table, batch)))).flat();
}

async function readBatch(table: ConfigTable, keys: readonly Key[]): Promise<Item[]> {
  const items: Item[] = [];
  let missing: Item[] = keys.map((key) => marshall(key));
  for (let round = 0; missing.length > 0; round += 1) {
    if (round === mostRounds) throw new Error(`${missing.length} items could not be read: the table is throttled`);
    const answer = await table.client.send(
      new BatchGetItemCommand({ RequestItems: { [table.tableName]: { Keys: missing, ConsistentRead: true } } }),
    );
    items.push(...(answer.Responses?.[table.tableName] ?? []));
    missing = answer.UnprocessedKeys?.[table.tableName]?.Keys ?? [];
  }
  return items;
}
