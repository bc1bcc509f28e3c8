import { paginateQuery } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import type { Clock } from "../../app/ports.js";
import { getItem, type Item, isExpired, type Table } from "./items.js";
import { type Key, sourceKey, subscriptionKey, subscriptionPrefix } from "./keys.js";

/** A table whose items expire by this clock. */
export interface TimedTable extends Table {
  readonly now: Clock;
}

/** Consistent read of one item; null when absent or expired. */
export async function readItem(table: TimedTable, key: Key): Promise<Item | null> {
  const item = await getItem(table, key);
  return item === null || isExpired(item, table.now()) ? null : item;
}

/**
 * Pages of a source's subscription items in order of their ids, tombstones included. Consistent: a change shows as
 * soon as it was acknowledged.
 */
export async function* subscriptionPages(
  table: TimedTable,
  sourceId: string,
  afterId: string | null = null,
): AsyncGenerator<readonly Item[]> {
  const start = afterId === null ? {} : { startingToken: marshall(subscriptionKey(sourceId, afterId)) };
  const pages = paginateQuery(
    { client: table.client(), ...start },
    {
      TableName: table.tableName,
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
      ExpressionAttributeValues: marshall({ ":pk": sourceKey(sourceId).pk, ":prefix": subscriptionPrefix }),
      ConsistentRead: true,
    },
  );
  for await (const page of pages) {
    yield (page.Items ?? []).map((item) => unmarshall(item)).filter((item) => !isExpired(item, table.now()));
  }
}
