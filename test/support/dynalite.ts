import type { Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { CreateTableCommand, DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { tableLayout } from "../../functions/shared/table-layout.js";

const dynalite = createRequire(import.meta.url)("dynalite") as (options: { createTableMs?: number }) => Server;

/** A DynamoDB of one's own, in memory, with the relay's table. */
export interface TestTable {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  /** Where it listens, for code that makes its own client. */
  readonly endpoint: string;
  close(): Promise<void>;
}

/** Starts dynalite on a free port and creates the relay's table in it, with every index, KEYS_ONLY. */
export async function startTable(): Promise<TestTable> {
  const server = dynalite({ createTableMs: 0 });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new DynamoDBClient({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  const tableName = "relay";
  await createRelayTable(client, tableName);
  return {
    client,
    tableName,
    endpoint,
    async close() {
      client.destroy();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Creates the relay's table, with every index, KEYS_ONLY, and waits until it takes items. */
export async function createRelayTable(client: DynamoDBClient, tableName: string): Promise<void> {
  await client.send(createTable(tableName));
  await untilActive(client, tableName);
}

/** dynalite answers the creation first and makes the table a moment later. */
async function untilActive(client: DynamoDBClient, tableName: string): Promise<void> {
  const describe = new DescribeTableCommand({ TableName: tableName });
  while ((await client.send(describe)).Table?.TableStatus !== "ACTIVE") await setImmediate();
}

function createTable(tableName: string): CreateTableCommand {
  const indexes = Object.values(tableLayout.indexes);
  const keyNames = [
    tableLayout.partitionKey,
    tableLayout.sortKey,
    ...indexes.flatMap((index) => [index.partitionKey, index.sortKey]),
  ];
  return new CreateTableCommand({
    TableName: tableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: keyNames.map((name) => ({ AttributeName: name, AttributeType: "S" })),
    KeySchema: keySchema(tableLayout),
    GlobalSecondaryIndexes: indexes.map((index) => ({
      IndexName: index.name,
      KeySchema: keySchema(index),
      Projection: { ProjectionType: "KEYS_ONLY" },
    })),
  });
}

const keySchema = (keys: { readonly partitionKey: string; readonly sortKey: string }) => [
  { AttributeName: keys.partitionKey, KeyType: "HASH" as const },
  { AttributeName: keys.sortKey, KeyType: "RANGE" as const },
];
