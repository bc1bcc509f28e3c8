import { ConditionalCheckFailedException, DeleteItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import type { Condition, Item, Table } from "./items.js";
import type { Key } from "./keys.js";

/** The writes of whole items that the configuration needs besides `changeItem`. False: the condition did not hold. */

/** Holds when nothing is stored under the key. */
export const absent: Condition = { expression: "attribute_not_exists(pk)" };

/** Holds when every given attribute has the given value now. */
export function stillHas(values: Readonly<Record<string, unknown>>): Condition {
  const names = Object.keys(values);
  return {
    expression: names.map((name) => `#${name} = :if_${name}`).join(" AND "),
    names: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    values: Object.fromEntries(names.map((name) => [`:if_${name}`, values[name]])),
  };
}

export function putItem(table: Table, item: Item, when: Condition): Promise<boolean> {
  const Item = marshall(item, { removeUndefinedValues: true });
  return applies(table.client().send(new PutItemCommand({ TableName: table.tableName, Item, ...expressions(when) })));
}

/** Without a condition: removes whatever is there. */
export function deleteItem(table: Table, key: Key, when?: Condition): Promise<boolean> {
  const target = { TableName: table.tableName, Key: marshall(key) };
  return applies(table.client().send(new DeleteItemCommand({ ...target, ...(when ? expressions(when) : {}) })));
}

function expressions({ expression, names, values }: Condition) {
  return {
    ConditionExpression: expression,
    ...(names === undefined ? {} : { ExpressionAttributeNames: { ...names } }),
    ...(values === undefined ? {} : { ExpressionAttributeValues: marshall(values) }),
  };
}

/** Runs one conditional write. False: the condition did not hold, nothing was written. */
export async function applies(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
