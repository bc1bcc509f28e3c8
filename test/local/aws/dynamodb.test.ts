import { join } from "node:path";
import {
  ConditionalCheckFailedException,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  ResourceNotFoundException,
  UpdateContinuousBackupsCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { ClassicLevel } from "classic-level";
import { describe, expect, it } from "vitest";
import { aDataDir, createTable, dynamodbClient, startAws } from "./fixture.js";

const TableName = "relay";

const table: CreateTableCommandInput = {
  TableName,
  BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: ["pk", "sk", "dpk", "dsk", "spk"].map((AttributeName) => ({
    AttributeName,
    AttributeType: AttributeName === "dsk" ? "N" : "S",
  })),
  KeySchema: [
    { AttributeName: "pk", KeyType: "HASH" },
    { AttributeName: "sk", KeyType: "RANGE" },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: "due",
      KeySchema: [
        { AttributeName: "dpk", KeyType: "HASH" },
        { AttributeName: "dsk", KeyType: "RANGE" },
      ],
      Projection: { ProjectionType: "KEYS_ONLY" },
    },
    {
      IndexName: "state",
      KeySchema: [{ AttributeName: "spk", KeyType: "HASH" }],
      Projection: { ProjectionType: "ALL" },
    },
  ],
};

/** Odd ones are due as well. */
const put = (client: DynamoDBClient, number: number, more = {}) =>
  client.send(
    new PutItemCommand({
      TableName,
      Item: {
        pk: { S: `DLV#${number}` },
        sk: { S: "DELIVERY" },
        spk: { S: "open" },
        note: { S: `note ${number}` },
        ...(number % 2 === 1 && { dpk: { S: "DUE" }, dsk: { N: String(number - 100) } }),
        ...more,
      },
    }),
  );

async function query(client: DynamoDBClient, IndexName: string, attribute: string, value: string) {
  const { Items } = await client.send(
    new QueryCommand({
      TableName,
      IndexName,
      KeyConditionExpression: `${attribute} = :value`,
      ExpressionAttributeValues: { ":value": { S: value } },
    }),
  );
  return Items ?? [];
}

describe("tables of the local endpoint", () => {
  it("answer conditional writes as DynamoDB does, under the local account", async () => {
    const client = dynamodbClient(await startAws({ region: "eu-central-1" }));
    await createTable(client, table);
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    expect(Table?.TableArn).toBe("arn:aws:dynamodb:eu-central-1:000000000000:table/relay");
    const once = () =>
      client.send(
        new PutItemCommand({
          TableName,
          Item: { pk: { S: "a" }, sk: { S: "b" } },
          ConditionExpression: "attribute_not_exists(pk)",
        }),
      );
    await once();
    await expect(once()).rejects.toBeInstanceOf(ConditionalCheckFailedException);
    const missing = client.send(new DescribeTableCommand({ TableName: "none" }));
    await expect(missing).rejects.toBeInstanceOf(ResourceNotFoundException);
  });

  it("take a time to live and backups as settings", async () => {
    const dataDir = await aDataDir();
    const first = await startAws({ dataDir });
    const client = dynamodbClient(first);
    await createTable(client, table);
    const TimeToLiveSpecification = { AttributeName: "expiresAt", Enabled: true };
    await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
    const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
    await client.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
    await first.close();

    const again = dynamodbClient(await startAws({ dataDir }));
    const { TimeToLiveDescription } = await again.send(new DescribeTimeToLiveCommand({ TableName }));
    expect(TimeToLiveDescription).toEqual({ TimeToLiveStatus: "ENABLED", AttributeName: "expiresAt" });
  });
});

describe("indexes after a restart", () => {
  /** Three items, closed; then whatever `damage` does to the entries on disk; then started again. */
  async function afterDamage(damage: (db: ClassicLevel<string, string>, keys: string[]) => Promise<void>) {
    const dataDir = await aDataDir();
    const first = await startAws({ dataDir });
    const client = dynamodbClient(first);
    await createTable(client, table);
    for (const number of [1, 2, 3]) await put(client, number);
    await first.close();
    const db = new ClassicLevel<string, string>(join(dataDir, "dynamodb"));
    const keys = (await db.keys().all()).filter((key) => key.startsWith("index-"));
    await damage(db, keys);
    await db.close();
    return dynamodbClient(await startAws({ dataDir }));
  }

  const expectRight = async (client: DynamoDBClient): Promise<void> => {
    const due = await query(client, "due", "dpk", "DUE");
    expect(due.map((item) => item["pk"]?.S)).toEqual(["DLV#1", "DLV#3"]);
    expect(new Set(Object.keys(due[0] ?? {}))).toEqual(new Set(["dpk", "dsk", "pk", "sk"]));
    const open = await query(client, "state", "spk", "open");
    expect(open.map((item) => item["note"]?.S).sort()).toEqual(["note 1", "note 2", "note 3"]);
  };

  it("are as they were when nothing happened", async () => {
    const client = await afterDamage(async (_, keys) => expect(keys).toHaveLength(5));
    await expectRight(client);
  });

  it("have again what was missing", async () => {
    const client = await afterDamage(async (db, keys) => db.batch(keys.map((key) => ({ type: "del", key }))));
    await expectRight(client);
  });

  it("lose what no item stands behind", async () => {
    const client = await afterDamage(async (db, keys) => {
      const key = keys.find((candidate) => candidate.startsWith("index-global~relay~due~")) ?? "";
      const entry = JSON.parse((await db.get(key)) ?? "{}");
      await db.put(`${key}0`, JSON.stringify({ ...entry, pk: { S: "DLV#gone" } }));
    });
    await expectRight(client);
  });

  it("show the item's own content again where an entry differs", async () => {
    const client = await afterDamage(async (db, keys) => {
      for (const key of keys.filter((candidate) => candidate.startsWith("index-global~relay~state~"))) {
        await db.put(key, JSON.stringify({ ...JSON.parse((await db.get(key)) ?? "{}"), note: { S: "old" } }));
      }
    });
    await expectRight(client);
  });

  it("follow an item that a killed process wrote and did not index", async () => {
    const client = await afterDamage(async (db) => {
      for await (const [key, text] of db.iterator({ gte: "item-relay~", lt: "item-relay\u007f" })) {
        const item = JSON.parse(text);
        if (item.pk.S === "DLV#2") await db.put(key, JSON.stringify({ ...item, dpk: { S: "DUE" }, dsk: { N: "7" } }));
      }
    });
    const due = await query(client, "due", "dpk", "DUE");
    expect(due.map((item) => item["pk"]?.S)).toEqual(["DLV#1", "DLV#3", "DLV#2"]);
  });

  it("belong to a table that was still being created when the process ended", async () => {
    const client = await afterDamage(async (db) => {
      const table = JSON.parse((await db.get("table~relay")) ?? "{}");
      await db.put("table~relay", JSON.stringify({ ...table, TableStatus: "CREATING" }));
    });
    await expectRight(client);
  });
});
