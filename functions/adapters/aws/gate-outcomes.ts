import { ConditionalCheckFailedException, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import type { Gate } from "../../core/model.js";
import { minuteMs, type OutcomeTally } from "../../core/outcome-tally.js";
import { gateFromItem } from "./gate-item.js";
import type { Table } from "./items.js";
import { gateKey } from "./keys.js";

/**
 * Adds a tally to the gate's counts: one write, a second one in a minute's first, a third where somebody else began the
 * minute in between. Null: another generation by now.
 */
export async function addOutcomes(
  table: Table,
  subscriptionId: string,
  tally: OutcomeTally,
  nowMs: number,
): Promise<Gate | null> {
  const minute = Math.floor(nowMs / minuteMs);
  return (
    (await update(table, subscriptionId, tally, minute, "same")) ??
    (await update(table, subscriptionId, tally, minute, "new")) ??
    (await update(table, subscriptionId, tally, minute, "same"))
  );
}

const countedNames = ["minute", "inARow", "failures", "attempts", "minuteAttempts", "minuteFailures", "generation"];

async function update(
  table: Table,
  subscriptionId: string,
  { generation, attempts, failures, trailing, hadSuccess }: OutcomeTally,
  minute: number,
  kind: "same" | "new",
): Promise<Gate | null> {
  const isSame = kind === "same";
  const added = (name: string, value: string) => `#${name} = if_not_exists(#${name}, :zero) + :${value}`;
  const set = (name: string, value: string) => `#${name} = :zero + :${value}`;
  const changes = [
    "#minute = :minute",
    (hadSuccess ? set : added)("inARow", "trailing"),
    added("failures", "failed"),
    added("attempts", "attempted"),
    (isSame ? added : set)("minuteAttempts", "attempted"),
    (isSame ? added : set)("minuteFailures", "failed"),
  ];
  const minuteIs = isSame ? "#minute = :minute" : "(attribute_not_exists(#minute) OR #minute <> :minute)";
  const command = new UpdateItemCommand({
    TableName: table.tableName,
    Key: marshall(gateKey(subscriptionId)),
    UpdateExpression: `SET ${changes.join(", ")}`,
    ConditionExpression: `#generation = :generation AND ${minuteIs}`,
    ExpressionAttributeNames: Object.fromEntries(countedNames.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: marshall({
      ":minute": minute,
      ":zero": 0,
      ":trailing": trailing,
      ":failed": failures,
      ":attempted": attempts,
      ":generation": generation,
    }),
    ReturnValues: "ALL_NEW",
  });
  try {
    const { Attributes } = await table.client().send(command);
    return Attributes === undefined ? null : gateFromItem(unmarshall(Attributes));
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return null;
    throw error;
  }
}
