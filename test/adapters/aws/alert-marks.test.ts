import { GetItemCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, expect, it } from "vitest";
import { DynamoAlertMarks } from "../../../functions/adapters/aws/alert-marks.js";
import { startTable, type TestTable } from "../../support/dynalite.js";

let table: TestTable;
beforeEach(async () => {
  table = await startTable();
});
afterEach(() => table.close());

it("a mark is taken by one message until its time is over, and again by the same message", async () => {
  const marks = new DynamoAlertMarks({ client: () => table.client, tableName: table.tableName });
  const minuteMs = 60_000;
  const take = (key: string, messageId: string, nowMs: number) =>
    marks.take(key, messageId, nowMs, nowMs + 10 * minuteMs);
  expect(await take("a", "m1", 0)).toBe(true);
  expect(await take("a", "m2", minuteMs)).toBe(false);
  expect(await take("b", "m2", minuteMs)).toBe(true);
  // Its function may have died before the post.
  expect(await take("a", "m1", 2 * minuteMs)).toBe(true);
  expect(await take("a", "m2", 11 * minuteMs)).toBe(false);
  expect(await take("a", "m2", 12 * minuteMs + 1)).toBe(true);
  const Key = { pk: { S: "ALERT#a" }, sk: { S: "ALERT" } };
  const { Item } = await table.client.send(new GetItemCommand({ TableName: table.tableName, Key }));
  expect(Number(Item?.["expiresAt"]?.N)).toBe(22 * 60 + 1);
});
