import { ConditionalCheckFailedException, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { longestSlotWaitMs, usableSlots } from "../../core/rate.js";
import { getItem, type Table } from "./items.js";
import { gateKey } from "./keys.js";
import type { ReservedSlots } from "./slot-queue.js";

/** Others reserve at the same moment and move the time across "now"; more often than this in a row it is no race. */
const triesAtMost = 10;

/** Behind the slots that are taken, and from now on when all of them are past. */
const behind = {
  change: "nextFreeAtMs = nextFreeAtMs + :taken",
  when: "nextFreeAtMs BETWEEN :now AND :latest",
};
const fromNow = {
  change: "nextFreeAtMs = :now + :taken",
  when: "attribute_exists(pk) AND (attribute_not_exists(nextFreeAtMs) OR nextFreeAtMs < :now)",
};

/** Numbers of a table are exact, those of a sum are not. */
const roundingMs = 1;

/**
 * Reserves `count` slots, one interval apart, or as many of them as anybody would wait for: a slot that nobody uses is
 * time in which nothing is sent. One write, or two when all slots are past.
 */
export async function reserveSlots(
  table: Table,
  subscriptionId: string,
  count: number,
  intervalMs: number,
  nowMs: number,
): Promise<ReservedSlots> {
  let usable = usableSlots(count, nowMs, intervalMs, nowMs);
  for (let tries = 0; tries < triesAtMost && usable > 0; tries++) {
    const takenMs = usable * intervalMs;
    const latest = nowMs + longestSlotWaitMs - (usable - 1) * intervalMs + roundingMs;
    const values = { ":taken": takenMs, ":now": nowMs };
    const nextFreeAtMs =
      (await reserve(table, subscriptionId, behind, { ...values, ":latest": latest })) ??
      (await reserve(table, subscriptionId, fromNow, values));
    if (nextFreeAtMs !== null) return { firstMs: nextFreeAtMs - takenMs, count: usable };
    usable = await usableNow(table, subscriptionId, count, intervalMs, nowMs);
  }
  if (usable === 0) return { firstMs: nowMs, count: 0 };
  throw new Error(`no slot could be reserved at the gate of ${subscriptionId}`);
}

/** As many of the next `count` slots as are near enough; read when they could not be reserved. */
async function usableNow(table: Table, subscriptionId: string, count: number, intervalMs: number, nowMs: number) {
  const gate = await getItem(table, gateKey(subscriptionId));
  if (gate === null) throw new Error(`no slot without a gate of ${subscriptionId}`);
  const nextFreeAtMs = (gate["nextFreeAtMs"] ?? nowMs) as number;
  return usableSlots(count, Math.max(nowMs, nextFreeAtMs), intervalMs, nowMs);
}

async function reserve(
  table: Table,
  subscriptionId: string,
  { change, when }: typeof behind,
  values: Readonly<Record<string, number>>,
): Promise<number | null> {
  const command = new UpdateItemCommand({
    TableName: table.tableName,
    Key: marshall(gateKey(subscriptionId)),
    UpdateExpression: `SET ${change}`,
    ConditionExpression: when,
    ExpressionAttributeValues: marshall(values),
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
