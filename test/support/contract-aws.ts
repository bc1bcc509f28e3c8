import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DeleteTableCommand, DynamoDBClient, GetItemCommand, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { CreateKeyCommand, KMSClient, ListKeysCommand, ScheduleKeyDeletionCommand } from "@aws-sdk/client-kms";
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  S3Client,
} from "@aws-sdk/client-s3";
import {
  CreateScheduleGroupCommand,
  DeleteScheduleGroupCommand,
  ListScheduleGroupsCommand,
  SchedulerClient,
} from "@aws-sdk/client-scheduler";
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ListQueuesCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { marshall } from "@aws-sdk/util-dynamodb";
import { clientSettings } from "../../functions/adapters/aws/clients.js";
import type { Item } from "../../functions/adapters/aws/items.js";
import { startLocalAws } from "../../local/aws/endpoint.js";
import { manualClock } from "../local/aws/fixture.js";
import { createRelayTable } from "./dynalite.js";

/**
 * The AWS that the contracts are held against: the local engine's by default, whose time the tests move; with
 * `TEST_AWS_ENDPOINT_URL` any other one, where time passes by itself. Everything that is made there has a name of its
 * own and is removed at the end.
 */

export const awsServices = ["dynamodb", "sqs", "s3", "kms", "scheduler"] as const;
export type AwsService = (typeof awsServices)[number];

export interface TestQueue {
  readonly url: string;
  readonly arn: string;
}

export interface ContractAws {
  readonly clients: {
    readonly dynamodb: DynamoDBClient;
    readonly sqs: SQSClient;
    readonly s3: S3Client;
    readonly kms: KMSClient;
    readonly scheduler: SchedulerClient;
  };
  readonly tableName: string;
  readonly bucketName: string;
  readonly keyId: string;
  readonly scheduleGroup: string;
  aQueue(): Promise<TestQueue>;
  /** An item as it is stored. */
  rawItem(key: { readonly pk: string; readonly sk: string }): Promise<Item>;
  /** The services' time, epoch milliseconds. */
  now(): number;
  /** Lets time pass where it can be moved; elsewhere the tests' patience is what passes. */
  pass(seconds: number): void;
  /** How long a test waits for what comes by itself. */
  readonly patienceMs: number;
  close(): Promise<void>;
}

interface Endpoint extends Pick<ContractAws, "now" | "pass" | "patienceMs"> {
  readonly url: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  close(): Promise<void>;
}

/** URL of an endpoint of one's own choice; undefined: the local engine. */
const givenUrl = process.env["TEST_AWS_ENDPOINT_URL"] || undefined;

/** Starts or reaches the endpoint, and makes what the adapters need of the services that it knows. */
export async function contractAws(missing: ReadonlySet<AwsService>): Promise<ContractAws> {
  const endpoint = givenUrl === undefined ? await localEndpoint() : remoteEndpoint(givenUrl);
  const clients = clientsOf(endpoint);
  const cleanUp: (() => Promise<unknown>)[] = [];
  const prefix = `steadyhook-contract-${Date.now().toString(36)}${randomBytes(3).toString("hex")}`;
  const knows = (service: AwsService) => !missing.has(service);
  let queues = 0;
  const close = async () => {
    const results = await Promise.allSettled(cleanUp.map((remove) => remove()));
    for (const client of Object.values(clients)) client.destroy();
    await endpoint.close();
    for (const result of results)
      if (result.status === "rejected") console.warn(`contract: left behind: ${result.reason}`);
  };
  try {
    if (knows("dynamodb")) await makeTable(clients, prefix, cleanUp);
    if (knows("s3")) await makeBucket(clients, prefix, cleanUp);
    if (knows("scheduler")) await makeGroup(clients, prefix, cleanUp);
    const keyId = knows("kms") ? await makeKey(clients, cleanUp, givenUrl !== undefined) : "";
    return {
      clients,
      keyId,
      tableName: prefix,
      bucketName: prefix,
      scheduleGroup: prefix,
      aQueue: () => makeQueue(clients, `${prefix}-${++queues}`, cleanUp),
      async rawItem(key) {
        const answer = await clients.dynamodb.send(
          new GetItemCommand({ TableName: prefix, Key: marshall(key), ConsistentRead: true }),
        );
        return answer.Item ?? {};
      },
      now: endpoint.now,
      pass: endpoint.pass,
      patienceMs: endpoint.patienceMs,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function localEndpoint(): Promise<Endpoint> {
  const dataDir = await mkdtemp(join(tmpdir(), "steadyhook-contract-"));
  const clock = manualClock();
  const aws = await startLocalAws({ dataDir, clock });
  return {
    url: aws.url,
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    now: clock.now,
    pass: (seconds) => clock.advance(Math.round(seconds * 1000)),
    patienceMs: 5_000,
    async close() {
      await aws.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function remoteEndpoint(url: string): Endpoint {
  const { AWS_ACCESS_KEY_ID: accessKeyId = "test", AWS_SECRET_ACCESS_KEY: secretAccessKey = "test" } = process.env;
  return {
    url,
    credentials: { accessKeyId, secretAccessKey },
    now: Date.now,
    pass: () => {},
    // EventBridge Scheduler fires within 60 s after the time.
    patienceMs: 75_000,
    close: async () => {},
  };
}

function clientsOf({ url, credentials }: Endpoint): ContractAws["clients"] {
  const settings = { ...clientSettings, endpoint: url, region: process.env["AWS_REGION"] ?? "us-east-1", credentials };
  return {
    dynamodb: new DynamoDBClient(settings),
    sqs: new SQSClient({ ...settings, useQueueUrlAsEndpoint: false }),
    s3: new S3Client({ ...settings, forcePathStyle: true }),
    kms: new KMSClient(settings),
    scheduler: new SchedulerClient(settings),
  };
}

/**
 * Services that a given endpoint does not know, said in one line; none are missing from the local engine. Each is asked
 * for something harmless: an answer that says "no such service" is that, every other failure is one.
 */
export async function missingServices(): Promise<ReadonlySet<AwsService>> {
  if (givenUrl === undefined) return new Set();
  const clients = clientsOf(remoteEndpoint(givenUrl));
  const probes: Readonly<Record<AwsService, () => Promise<unknown>>> = {
    dynamodb: () => clients.dynamodb.send(new ListTablesCommand({ Limit: 1 })),
    sqs: () => clients.sqs.send(new ListQueuesCommand({ MaxResults: 1 })),
    s3: () => clients.s3.send(new ListBucketsCommand({})),
    kms: () => clients.kms.send(new ListKeysCommand({ Limit: 1 })),
    scheduler: () => clients.scheduler.send(new ListScheduleGroupsCommand({ MaxResults: 1 })),
  };
  const missing = await Promise.all(
    awsServices.map(async (service) => ((await isUnknown(probes[service])) ? [service] : [])),
  );
  if (missing.flat().length > 0) console.warn(`Skipped: ${givenUrl} does not know ${missing.flat().join(", ")}.`);
  return new Set(missing.flat());
}

/** What emulators answer for a service that they do not have: some status, or an answer that is no answer of it. */
async function isUnknown(probe: () => Promise<unknown>): Promise<boolean> {
  try {
    await probe();
    return false;
  } catch (error) {
    const { name = "", $metadata = {} } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
    const isNoAnswer =
      error instanceof SyntaxError || /^Unknown$|UnknownOperation|InvalidAction|NotImplemented/.test(name);
    if (isNoAnswer || [404, 405, 501].includes($metadata.httpStatusCode ?? 0)) return true;
    throw error;
  }
}

type Clients = ContractAws["clients"];
type CleanUp = (() => Promise<unknown>)[];

async function makeTable({ dynamodb }: Clients, TableName: string, cleanUp: CleanUp): Promise<void> {
  cleanUp.push(() => dynamodb.send(new DeleteTableCommand({ TableName })));
  await createRelayTable(dynamodb, TableName);
}

async function makeBucket({ s3 }: Clients, Bucket: string, cleanUp: CleanUp): Promise<void> {
  await s3.send(new CreateBucketCommand({ Bucket }));
  cleanUp.push(async () => {
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
    for (const { Key } of Contents) await s3.send(new DeleteObjectCommand({ Bucket, Key }));
    await s3.send(new DeleteBucketCommand({ Bucket }));
  });
}

async function makeGroup({ scheduler }: Clients, Name: string, cleanUp: CleanUp): Promise<void> {
  await scheduler.send(new CreateScheduleGroupCommand({ Name }));
  cleanUp.push(() => scheduler.send(new DeleteScheduleGroupCommand({ Name })));
}

/** A key cannot be removed at once; the local engine's goes with its folder. */
async function makeKey({ kms }: Clients, cleanUp: CleanUp, removable: boolean): Promise<string> {
  const { KeyMetadata } = await kms.send(new CreateKeyCommand({ Description: "Steadyhook's contract tests" }));
  const KeyId = KeyMetadata?.KeyId ?? "";
  if (removable) cleanUp.push(() => kms.send(new ScheduleKeyDeletionCommand({ KeyId, PendingWindowInDays: 7 })));
  return KeyId;
}

async function makeQueue({ sqs }: Clients, QueueName: string, cleanUp: CleanUp): Promise<TestQueue> {
  const { QueueUrl: url = "" } = await sqs.send(new CreateQueueCommand({ QueueName }));
  cleanUp.push(() => sqs.send(new DeleteQueueCommand({ QueueUrl: url })));
  const asked = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["QueueArn"] });
  return { url, arn: (await sqs.send(asked)).Attributes?.["QueueArn"] ?? "" };
}
