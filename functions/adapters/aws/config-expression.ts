import type { UpdateItemCommandInput } from "@aws-sdk/client-dynamodb";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";

type Expression = Pick<
  UpdateItemCommandInput,
  "UpdateExpression" | "ConditionExpression" | "ExpressionAttributeNames" | "ExpressionAttributeValues"
>;

/** What one conditional update does. */
export interface Update {
  readonly set: Readonly<Record<string, unknown>>;
  readonly remove?: readonly string[];
  /** Values that attributes must have now. */
  readonly onlyIf: Readonly<Record<string, unknown>>;
}

/** An UpdateItem's expressions; each name is aliased, since many of ours are reserved words. */
export function updateExpression({ set, remove = [], onlyIf }: Update): Expression {
  const names = [...new Set([...Object.keys(set), ...remove, ...Object.keys(onlyIf)])];
  const removal = remove.length === 0 ? "" : ` REMOVE ${remove.map((name) => `#${name}`).join(", ")}`;
  const values = { ...prefixed(":", set), ...prefixed(":if_", onlyIf) };
  return {
    UpdateExpression: `SET ${assignments(set, ":", ", ")}${removal}`,
    ConditionExpression: assignments(onlyIf, ":if_", " AND "),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: marshall(values, { removeUndefinedValues: true }),
  };
}

const assignments = (fields: Readonly<Record<string, unknown>>, mark: string, between: string): string =>
  Object.keys(fields)
    .map((name) => `#${name} = ${mark}${name}`)
    .join(between);

const prefixed = (mark: string, fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [`${mark}${name}`, value]));

/** Runs one conditional write. False: the condition failed, nothing was written. */
export async function applies(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
