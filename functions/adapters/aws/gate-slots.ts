import { ConditionalCheckFailedException, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import type { Table } from "./items.js";
import { gateKey } from "./keys.js";

/** Others reserve at the same moment and move the time across "now"; more often than this in a row it is no race. */
const triesAtMost = 10;

/** Behind the slots that are taken, and from now on when all of them are past. */
const behind = { change: "nextFreeAtMs = nextFreeAtMs + :taken", when: "nextFreeAtMs >= :now" };
const fromNow = {
  change: "nextFreeAtMs = :now + :taken",
  when: "attribute_exists(pk) AND (attribute_not_exists(nextFreeAtMs) OR nextFreeAtMs < :now)",
};

/** Reserves `count` slots, one interval apart, and returns the first. One write, or two when all slots are past. */
export async function reserveSlots(
  table: Table,
  subscriptionId: string,
  count: number,
  intervalMs: number,
  nowMs: number,
): Promise<number> {
  const takenMs = count * intervalMs;
  for (let tries = 0; tries < triesAtMost; tries++) {
    const nextFreeAtMs =
      (await reserve(table, subscriptionId, behind, takenMs, nowMs)) ??
      (await reserve(table, subscriptionId, fromNow, takenMs, nowMs));
    if (nextFreeAtMs !== null) return nextFreeAtMs - takenMs;
  }
  throw new Error(`no slot could be reserved at the gate of ${subscriptionId}`);
}

async function reserve(
  table: Table,
  subscriptionId: string,
  { change, when }: typeof behind,
  takenMs: number,
  nowMs: number,
): Promise<number | null> {
  const command = new UpdateItemCommand({
    TableName: table.tableName,
    Key: marshall(gateKey(subscriptionId)),
    UpdateExpression: `SET ${change}`,
    ConditionExpression: when,
    ExpressionAttributeValues: marshall({ ":taken": takenMs, ":now": nowMs }),
    ReturnValues: "UPDATED_NEW",
  });
  try {
    const { Attributes } = await table.client().send(command);
    return unmarshall(Attributes ?? {})["nextFreeAtMs"] as number;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return null;
    throw error;
  }
}
