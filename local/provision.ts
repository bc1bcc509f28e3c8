import { AwsError } from "./aws/aws-error.js";
import type { DynamoDb } from "./aws/dynamodb/dynamodb.js";
import type { LocalAws } from "./aws/endpoint.js";
import type { JsonObject } from "./aws/json-input.js";
import { StartError } from "./start-error.js";
import type { QueueWiring, TableWiring, Wiring } from "./wiring.js";

/** Creates in the local account what the template declares; what is there already stays, with its content. */
export async function provision(aws: LocalAws, wiring: Wiring): Promise<void> {
  await Promise.all([
    provisionQueues(aws, wiring.queues),
    ...wiring.tables.map((table) => provisionTable(aws.dynamodb, table)),
    ...wiring.keys.map((keyId) => aws.kms.createKey({ keyId })),
    ...absent(wiring.buckets, aws.objects.buckets()).map((bucket) => aws.objects.createBucket(bucket)),
    ...absent(wiring.scheduleGroups, aws.scheduler.groups()).map((group) => aws.scheduler.createGroup(group)),
  ]);
}

const absent = (wanted: readonly string[], existing: ReadonlyArray<{ readonly name: string }>): string[] =>
  wanted.filter((name) => !existing.some((entry) => entry.name === name));

/** The targets of redrive first: a queue names its own at creation. */
async function provisionQueues(aws: LocalAws, queues: readonly QueueWiring[]): Promise<void> {
  const isSource = ({ attributes }: QueueWiring): number => ("RedrivePolicy" in attributes ? 1 : 0);
  const existing = new Set(aws.sqs.list().map(({ name }) => name));
  for (const { name, attributes } of queues.toSorted((a, b) => isSource(a) - isSource(b))) {
    if (existing.has(name)) await aws.sqs.setAttributes(name, attributes);
    else await aws.sqs.createQueue(name, attributes);
  }
}

async function provisionTable(dynamodb: DynamoDb, table: TableWiring): Promise<void> {
  const existing = await describeTable(dynamodb, table.name);
  if (existing === null) {
    await dynamodb.call("CreateTable", createTable(table));
    await active(dynamodb, table.name);
  } else if (indexText(existing.GlobalSecondaryIndexes) !== indexText(table.indexes)) {
    throw new StartError(
      `The table in the data folder has other indexes (${indexText(existing.GlobalSecondaryIndexes)}) than this ` +
        `version (${indexText(table.indexes)}): move the data folder away to start with an empty one.`,
    );
  }
  if (table.ttlAttribute === null) return;
  const TimeToLiveSpecification = { AttributeName: table.ttlAttribute, Enabled: true };
  await dynamodb.call("UpdateTimeToLive", { TableName: table.name, TimeToLiveSpecification });
}

function createTable({ name, keySchema, attributeDefinitions, indexes }: TableWiring): JsonObject {
  return {
    TableName: name,
    BillingMode: "PAY_PER_REQUEST",
    KeySchema: keySchema,
    AttributeDefinitions: attributeDefinitions,
    ...(indexes.length === 0 ? {} : { GlobalSecondaryIndexes: indexes }),
  };
}

interface ExistingTable {
  readonly TableStatus: string;
  readonly GlobalSecondaryIndexes?: readonly IndexKeys[];
}

/** Null: there is no such table. */
async function describeTable(dynamodb: DynamoDb, name: string): Promise<ExistingTable | null> {
  try {
    return (await dynamodb.call("DescribeTable", { TableName: name }))["Table"] as ExistingTable;
  } catch (error) {
    if (error instanceof AwsError && error.code === "ResourceNotFoundException") return null;
    throw error;
  }
}

/** Comparable and readable: `due(dpk,dsk) listing(lpk,lsk)`. */
function indexText(indexes: readonly IndexKeys[] = []): string {
  const texts = indexes.map(({ IndexName, KeySchema }) => {
    const keys = KeySchema.map(({ AttributeName }) => AttributeName);
    return `${IndexName}(${keys.join(",")})`;
  });
  return texts.sort((a, b) => (a < b ? -1 : 1)).join(" ");
}

type IndexKeys = Pick<TableWiring["indexes"][number], "IndexName" | "KeySchema">;

/** A new table is there after its next tick; there is nothing else to wait for. */
async function active(dynamodb: DynamoDb, name: string): Promise<void> {
  const deadlineMs = Date.now() + 10_000;
  while ((await describeTable(dynamodb, name))?.TableStatus !== "ACTIVE") {
    if (Date.now() > deadlineMs) throw new Error(`table ${name} did not become active`);
  }
}
