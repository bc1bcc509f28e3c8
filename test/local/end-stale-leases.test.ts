import { GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { endStaleLeases } from "../../local/end-stale-leases.js";
import { startTable, type TestTable } from "../support/dynalite.js";

let table: TestTable;
beforeAll(async () => {
  table = await startTable();
});
afterAll(() => table.close());

const put = (id: string, status: string) =>
  table.client.send(
    new PutItemCommand({
      TableName: table.tableName,
      Item: {
        pk: { S: id },
        sk: { S: "DELIVERY" },
        status: { S: status },
        leaseUntilMs: { N: "9000000000000" },
        x: { S: "kept" },
      },
    }),
  );

async function read(id: string): Promise<Record<string, unknown> | undefined> {
  const Key = { pk: { S: id }, sk: { S: "DELIVERY" } };
  return (await table.client.send(new GetItemCommand({ TableName: table.tableName, Key }))).Item;
}

test("the lease of every attempt that was under way ends, nothing else changes", async () => {
  await Promise.all([
    ...Array.from({ length: 30 }, (_, index) => put(`a${index}`, "attempting")),
    put("r", "retry_scheduled"),
  ]);

  expect(await endStaleLeases(table.client, table.tableName)).toBe(30);
  expect(await read("a29")).toMatchObject({ leaseUntilMs: { N: "0" }, status: { S: "attempting" }, x: { S: "kept" } });
  expect(await read("r")).toMatchObject({ leaseUntilMs: { N: "9000000000000" } });
});

test("an item that is no delivery is left alone", async () => {
  const { client, tableName } = table;
  await client.send(new PutItemCommand({ TableName: tableName, Item: { pk: { S: "e" }, sk: { S: "DELIVERY" } } }));
  await endStaleLeases(client, tableName);

  expect(await read("e")).not.toHaveProperty("leaseUntilMs");
});
