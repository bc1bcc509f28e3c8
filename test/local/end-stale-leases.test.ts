import { expect, test } from "vitest";
import type { DynamoDb } from "../../local/aws/dynamodb/dynamodb.js";
import { endStaleLeases } from "../../local/end-stale-leases.js";
import { startAws } from "./aws/fixture.js";

const TableName = "relay";

async function aTable(): Promise<DynamoDb> {
  const { dynamodb } = await startAws();
  const keys = { pk: "HASH", sk: "RANGE" };
  await dynamodb.call("CreateTable", {
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: Object.keys(keys).map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
    KeySchema: Object.entries(keys).map(([AttributeName, KeyType]) => ({ AttributeName, KeyType })),
  });
  await expect
    .poll(() => dynamodb.call("DescribeTable", { TableName }))
    .toMatchObject({ Table: { TableStatus: "ACTIVE" } });
  return dynamodb;
}

const put = (dynamodb: DynamoDb, id: string, more: object) =>
  dynamodb.call("PutItem", { TableName, Item: { pk: { S: id }, sk: { S: "DELIVERY" }, ...more } });

const read = async (dynamodb: DynamoDb, id: string) =>
  (await dynamodb.call("GetItem", { TableName, Key: { pk: { S: id }, sk: { S: "DELIVERY" } } }))["Item"];

const held = (status: string, x = "kept") => ({
  status: { S: status },
  leaseUntilMs: { N: "9000000000000" },
  x: { S: x },
});

test("the lease of every attempt that was under way ends, nothing else changes", async () => {
  const dynamodb = await aTable();
  // Together more than one page of a scan.
  const large = "x".repeat(100_000);
  await Promise.all([
    ...Array.from({ length: 30 }, (_, index) => put(dynamodb, `a${index}`, held("attempting", large))),
    put(dynamodb, "r", held("retry_scheduled")),
  ]);

  expect(await endStaleLeases(dynamodb, TableName)).toBe(30);
  for (const id of ["a0", "a29"]) {
    const item = { leaseUntilMs: { N: "0" }, status: { S: "attempting" }, x: { S: large } };
    expect(await read(dynamodb, id)).toMatchObject(item);
  }
  expect(await read(dynamodb, "r")).toMatchObject({ leaseUntilMs: { N: "9000000000000" } });
});

test("an item that is no delivery is left alone", async () => {
  const dynamodb = await aTable();
  await put(dynamodb, "e", {});
  await endStaleLeases(dynamodb, TableName);

  expect(await read(dynamodb, "e")).not.toHaveProperty("leaseUntilMs");
});
