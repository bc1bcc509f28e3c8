import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { hasExpired } from "../../core/expiry.js";
import type { ItemChanges } from "./delivery-item.js";
import type { Key } from "./keys.js";

/** The few single-item operations that the adapters are made of. No transactions: each step is one of these. */

export type Item = Readonly<Record<string, unknown>>;

/** The client is handed over as a function, so that a cold start makes only what it uses. */
export interface Table {
  readonly client: () => DynamoDBClient;
  readonly tableName: string;
}

/** A condition with its names (`#…`) and values (`:…`). */
export interface Condition {
  readonly expression: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, unknown>>;
}

/** Consistent read of one item. */
export async function getItem(table: Table, key: Key): Promise<Item | null> {
  const answer = await table
    .client()
    .send(new GetItemCommand({ TableName: table.tableName, Key: marshall(key), ConsistentRead: true }));
  return answer.Item === undefined ? null : unmarshall(answer.Item);
}

/** Keys that one BatchGetItem takes. */
const batchGetLimit = 100;

/** Consistent reads of many items in no particular order; absent ones are left out. */
export async function getItems(table: Table, keys: readonly Key[]): Promise<readonly Item[]> {
  const items: Item[] = [];
  let waiting = keys.map((key) => marshall(key));
  while (waiting.length > 0) {
    const asked = waiting.slice(0, batchGetLimit);
    const request = { [table.tableName]: { Keys: asked, ConsistentRead: true } };
    const answer = await table.client().send(new BatchGetItemCommand({ RequestItems: request }));
    items.push(...(answer.Responses?.[table.tableName] ?? []).map((item) => unmarshall(item)));
    waiting = [...(answer.UnprocessedKeys?.[table.tableName]?.Keys ?? []), ...waiting.slice(asked.length)];
  }
  return items;
}

/**
 * Sets the given attributes, removes those that are undefined, leaves all others as they are: attributes that a newer
 * version of this code added survive a write by an older one. False when the condition did not hold.
 */
export async function changeItem(table: Table, key: Key, changes: ItemChanges, when: Condition): Promise<boolean> {
  const entries = Object.entries(changes);
  const set = entries.filter(([, value]) => value !== undefined);
  const removed = entries.filter(([, value]) => value === undefined);
  const command = new UpdateItemCommand({
    TableName: table.tableName,
    Key: marshall(key),
    UpdateExpression: [
      set.length > 0 ? `SET ${set.map(([name]) => `#${name} = :${name}`).join(", ")}` : "",
      removed.length > 0 ? `REMOVE ${removed.map(([name]) => `#${name}`).join(", ")}` : "",
    ].join(" "),
    ConditionExpression: when.expression,
    ExpressionAttributeNames: { ...Object.fromEntries(entries.map(([name]) => [`#${name}`, name])), ...when.names },
    ...expressionValues({ ...Object.fromEntries(set.map(([name, value]) => [`:${name}`, value])), ...when.values }),
  });
  try {
    await table.client().send(command);
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

/** DynamoDB refuses an empty list of values. */
function expressionValues(values: Item): Pick<UpdateItemCommandInput, "ExpressionAttributeValues"> {
  if (Object.keys(values).length === 0) return {};
  return { ExpressionAttributeValues: marshall(values, { removeUndefinedValues: true }) };
}

/** Holds for an item that is not there, or that the table's TTL is about to remove. */
export function absentOrExpired(nowMs: number): Condition {
  return {
    expression: "attribute_not_exists(pk) OR expiresAt < :nowSeconds",
    values: { ":nowSeconds": Math.floor(nowMs / 1000) },
  };
}

/** TTL removes items within days, not at once: until then they are treated as gone. */
export function isExpired(item: Item, nowMs: number): boolean {
  const expiresAt = item["expiresAt"];
  return typeof expiresAt === "number" && hasExpired(expiresAt, nowMs);
}
