import { GetItemCommand, PutItemCommand, QueryCommand } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type CopyOptions, copyMissing } from "../../examples/restore/copy-missing.js";
import { createRelayTable, startTable, type TestTable } from "../support/dynalite.js";

const nowMs = Date.parse("2026-01-31T12:00:00Z");
let table: TestTable;

beforeEach(async () => {
  table = await startTable();
  await createRelayTable(table.client, "restored");
});
afterEach(() => table.close());

const put = (tableName: string, item: object) =>
  table.client.send(new PutItemCommand({ TableName: tableName, Item: marshall(item) }));

async function get(pk: string, sk: string): Promise<Record<string, unknown> | null> {
  const { Item } = await table.client.send(new GetItemCommand({ TableName: "relay", Key: marshall({ pk, sk }) }));
  return Item === undefined ? null : unmarshall(Item);
}

const copy = (options: Partial<CopyOptions> = {}) =>
  copyMissing({
    ...{ client: table.client, from: "restored", to: "relay", kinds: ["DLV", "SRC"], dryRun: false, nowMs },
    ...options,
  });

const lost = { pk: "DLV#dlv_1", sk: "DELIVERY", lpk: "sub_1#0", lsk: "2026-01-30#dlv_1", status: "retry_scheduled" };

test("what is missing comes back as it was, with its places in the indexes", async () => {
  await put("restored", lost);

  expect(await copy()).toEqual({ DLV: { missing: 1, there: 0 } });
  expect(await get(lost.pk, lost.sk)).toEqual(lost);
  const listed = await table.client.send(
    new QueryCommand({
      TableName: "relay",
      IndexName: "listing",
      KeyConditionExpression: "lpk = :lpk",
      ExpressionAttributeValues: marshall({ ":lpk": lost.lpk }),
    }),
  );
  expect(listed.Items).toHaveLength(1);
});

test("what is there stays as it is: it is newer", async () => {
  await put("restored", lost);
  await put("relay", { ...lost, status: "delivered" });

  expect(await copy()).toEqual({ DLV: { missing: 0, there: 1 } });
  expect(await get(lost.pk, lost.sk)).toMatchObject({ status: "delivered" });
});

test("kinds that are not named, and what has expired, stay away", async () => {
  await put("restored", { pk: "SUB#sub_1", sk: "GATE" });
  await put("restored", { pk: "DLV#dlv_2", sk: "DELIVERY", expiresAt: nowMs / 1000 - 1 });
  await put("restored", { pk: "DLV#dlv_3", sk: "DELIVERY", expiresAt: nowMs / 1000 + 1 });

  expect(await copy()).toEqual({ DLV: { missing: 1, there: 0 } });
  expect(await get("SUB#sub_1", "GATE")).toBeNull();
  expect(await get("DLV#dlv_2", "DELIVERY")).toBeNull();
  expect(await get("DLV#dlv_3", "DELIVERY")).not.toBeNull();
});

test("a dry run counts the same, and writes nothing", async () => {
  await put("restored", lost);
  await put("restored", { pk: "SRC#shop", sk: "SOURCE" });
  await put("relay", { pk: "SRC#shop", sk: "SOURCE" });

  expect(await copy({ dryRun: true })).toEqual({ DLV: { missing: 1, there: 0 }, SRC: { missing: 0, there: 1 } });
  expect(await get(lost.pk, lost.sk)).toBeNull();
});

test("pages of any size are gone through, and a second run finds everything there", async () => {
  const large = "x".repeat(100_000);
  for (let index = 0; index < 30; index++) {
    await put("restored", { pk: `DLV#dlv_${index}`, sk: "DELIVERY", large });
  }
  expect(await copy()).toEqual({ DLV: { missing: 30, there: 0 } });
  expect(await copy()).toEqual({ DLV: { missing: 0, there: 30 } });
});
