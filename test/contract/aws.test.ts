import { randomUUID } from "node:crypto";
import { GetScheduleCommand, ResourceNotFoundException } from "@aws-sdk/client-scheduler";
import { DeleteMessageCommand, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import type { SQSRecord } from "aws-lambda";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { TableSourceStore } from "../../functions/adapters/aws/config-sources.js";
import { TableSubscriptionStore } from "../../functions/adapters/aws/config-subscriptions.js";
import { CachedSourceConfigs, CachedSubscriptionConfigs } from "../../functions/adapters/aws/config-table.js";
import { S3ContentErasure } from "../../functions/adapters/aws/content-erasure.js";
import { ContentMissingError, S3ContentStore } from "../../functions/adapters/aws/content-store.js";
import { DynamoDeliveryTable } from "../../functions/adapters/aws/delivery-table.js";
import { DynamoDueList } from "../../functions/adapters/aws/due-list.js";
import { DynamoEventTable } from "../../functions/adapters/aws/event-table.js";
import { DynamoFaultTable } from "../../functions/adapters/aws/fault-table.js";
import { CachedGates } from "../../functions/adapters/aws/gates.js";
import { TableDeliveryIndex } from "../../functions/adapters/aws/listing-index.js";
import { DynamoParkedList } from "../../functions/adapters/aws/parked-list.js";
import { SqsQueues } from "../../functions/adapters/aws/queues.js";
import { DynamoReplayTable } from "../../functions/adapters/aws/replay-table.js";
import { SchedulerSchedules } from "../../functions/adapters/aws/schedules.js";
import { DynamoSweepLease } from "../../functions/adapters/aws/sweep-lease.js";
import { Vault } from "../../functions/adapters/aws/vault.js";
import { KmsDataKeys } from "../../functions/adapters/aws/vault-kms.js";
import { controlRecord } from "../../functions/sweeper/control-record.js";
import { aSourceRecord } from "../support/config-records.js";
import { type AwsService, type ContractAws, contractAws, missingServices } from "../support/contract-aws.js";
import { memoryDataKeys } from "../support/memory-data-keys.js";
import { virtualClock } from "../support/virtual-clock.js";
import { awsTableContract } from "./contracts/aws-table-contract.js";
import { configContract } from "./contracts/config-contract.js";
import { contentStoreContract } from "./contracts/content-store-contract.js";
import { dataKeysContract } from "./contracts/data-keys-contract.js";
import { deliveryListsContract } from "./contracts/delivery-lists-contract.js";
import { deliveryTableContract } from "./contracts/delivery-table-contract.js";
import { dueListContract } from "./contracts/due-list-contract.js";
import { eventTableContract } from "./contracts/event-table-contract.js";
import { faultQueueContract } from "./contracts/fault-queue-contract.js";
import { faultTableContract } from "./contracts/fault-table-contract.js";
import { gatesContract } from "./contracts/gates-contract.js";
import { queuesContract, type ReceivedMessage } from "./contracts/queues-contract.js";
import { replayTableContract } from "./contracts/replay-table-contract.js";
import { schedulerContract } from "./contracts/scheduler-contract.js";
import { retentionDays } from "./contracts/some-deliveries.js";
import { sweepLeaseContract } from "./contracts/sweep-lease-contract.js";

// Where time passes by itself, a schedule may take more than a minute.
vi.setConfig({ testTimeout: 180_000 });

const missing = await missingServices();
let aws: ContractAws;
beforeAll(async () => {
  aws = await contractAws(missing);
});
afterAll(() => aws.close());

const needs = (...services: AwsService[]) => describe.skipIf(services.some((service) => missing.has(service)));

const timedTable = () => {
  const clock = virtualClock();
  return { clock, at: { client: () => aws.clients.dynamodb, tableName: aws.tableName, now: clock.now } };
};

const tables = () => {
  const { clock, at } = timedTable();
  const options = { now: clock.now, retentionDays };
  return { clock, at, deliveries: new DynamoDeliveryTable(at, options), events: new DynamoEventTable(at, options) };
};

needs("dynamodb")("deliveries in DynamoDB", () =>
  deliveryTableContract(() => {
    const { clock, deliveries } = tables();
    return { clock, table: deliveries };
  }),
);

needs("dynamodb")("lists in DynamoDB", () =>
  deliveryListsContract(() => {
    const { clock, at, deliveries } = tables();
    const [parkedList, index] = [new DynamoParkedList(at), new TableDeliveryIndex(at)];
    return { clock, table: deliveries, parkedList, index, patienceMs: aws.patienceMs };
  }),
);

needs("dynamodb")("events in DynamoDB", () =>
  eventTableContract(() => {
    const { clock, events } = tables();
    return { clock, table: events };
  }),
);

needs("dynamodb")("configuration in DynamoDB", () =>
  configContract(() => {
    const { clock, at } = timedTable();
    const reader = { ...at, vault: new Vault(missing.has("kms") ? memoryDataKeys() : kmsKeys()) };
    return {
      sources: new TableSourceStore(reader),
      subscriptions: new TableSubscriptionStore(reader, retentionDays),
      sourceConfigs: new CachedSourceConfigs(reader),
      subscriptionConfigs: new CachedSubscriptionConfigs(reader, {
        policyPreset: "default",
        connectSeconds: 15,
        readSeconds: 60,
      }),
      gates: new CachedGates(reader),
      clock,
      patienceMs: aws.patienceMs,
    };
  }),
);

needs("dynamodb")("gates in DynamoDB", () =>
  gatesContract(() => {
    const { clock, at } = timedTable();
    const reader = { ...at, vault: new Vault(memoryDataKeys()) };
    return {
      sources: new TableSourceStore(reader),
      subscriptions: new TableSubscriptionStore(reader, retentionDays),
      gates: new CachedGates(at),
      elsewhere: new CachedGates(at),
      clock,
    };
  }),
);

needs("dynamodb")("what is due in DynamoDB", () =>
  dueListContract(async () => {
    const { clock, at, deliveries } = tables();
    const reader = { ...at, vault: new Vault(memoryDataKeys()) };
    await new TableSourceStore(reader).createSource(aSourceRecord({ sourceId: "contract" }), {});
    const subscriptions = new TableSubscriptionStore(reader, retentionDays);
    const [gates, dueList] = [new CachedGates(at), new DynamoDueList(at)];
    return { clock, table: deliveries, gates, dueList, subscriptions, patienceMs: aws.patienceMs };
  }),
);

needs("dynamodb")("bulk replays in DynamoDB", () =>
  replayTableContract(() => {
    const { clock, at } = timedTable();
    return { clock, replays: new DynamoReplayTable(at), dueList: new DynamoDueList(at) };
  }),
);

needs("dynamodb", "s3")("faults in DynamoDB and S3", () =>
  faultTableContract(() => new DynamoFaultTable(timedTable().at, contents(), retentionDays)),
);

needs("dynamodb")("sweeps by DynamoDB", () => sweepLeaseContract(() => new DynamoSweepLease(timedTable().at)));

needs("dynamodb")("the table in DynamoDB", () => awsTableContract(() => ({ ...timedTable(), aws })));

needs("sqs")("queues in SQS", () =>
  queuesContract(async () => {
    const aQueue = () => aws.aQueue();
    const [delivery, slow, deadLetter, control] = await Promise.all([aQueue(), aQueue(), aQueue(), aQueue()]);
    const named = { delivery, slow, deadLetter, control };
    const urls = { delivery: delivery.url, slow: slow.url, deadLetter: deadLetter.url, control: control.url };
    return {
      ...aws,
      queues: new SqsQueues(aws.clients.sqs, urls),
      receive: (name) => receive(named[name].url),
      async remove(name, ReceiptHandle) {
        await aws.clients.sqs.send(new DeleteMessageCommand({ QueueUrl: named[name].url, ReceiptHandle }));
      },
    };
  }),
);

needs("sqs")("faults in SQS", () =>
  faultQueueContract(async () => {
    const { url, arn } = await aws.aQueue();
    return {
      ...aws,
      queue: new SqsQueues(aws.clients.sqs, { delivery: url, fault: url }),
      receive: () => receiveFaults(url, arn),
    };
  }),
);

needs("scheduler", "sqs")("schedules in EventBridge Scheduler", () =>
  schedulerContract(async () => {
    const { url, arn } = await aws.aQueue();
    const settings = {
      groupName: aws.scheduleGroup,
      queueArn: arn,
      roleArn: "arn:aws:iam::000000000000:role/contract",
    };
    return {
      ...aws,
      scheduler: new SchedulerSchedules(async () => aws.clients.scheduler, settings),
      dueAt,
      receive: () => receive(url),
    };
  }),
);

needs("s3")("contents in S3", () => contentStoreContract(contents));

needs("s3")("an erasure in S3", () => {
  it("deletes all that lies under the event, and nothing else", async () => {
    const event = `evt_${randomUUID()}`;
    const keys = ["a", "a.body", "b"].map((name) => `bodies/${event}/${name}`);
    const another = `bodies/${event}x/a`;
    for (const key of [...keys, another]) await contents().put(key, Buffer.from(key));
    const erasure = new S3ContentErasure(async () => aws.clients.s3, aws.bucketName);
    await erasure.eraseContents(event);
    await erasure.eraseContents(event);
    for (const key of keys) await expect(contents().get(key)).rejects.toThrow(ContentMissingError);
    expect((await contents().get(another)).toString()).toBe(another);
  });
});

function contents(): S3ContentStore {
  return new S3ContentStore(async () => aws.clients.s3, aws.bucketName);
}

needs("kms")("data keys in KMS", () => dataKeysContract(kmsKeys));

function kmsKeys(): KmsDataKeys {
  return new KmsDataKeys(async () => aws.clients.kms, aws.keyId);
}

async function receive(QueueUrl: string): Promise<ReceivedMessage[]> {
  const { Messages = [] } = await aws.clients.sqs.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ["All"] }),
  );
  return Messages.map(({ MessageId = "", ReceiptHandle = "", Body = "", Attributes = {} }) => ({
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    groupId: Attributes.MessageGroupId ?? null,
    receiveCount: Number(Attributes.ApproximateReceiveCount),
  }));
}

/** As the sweeper reads them: Lambda hands over what SQS gives, with other capitals. */
async function receiveFaults(QueueUrl: string, arn: string) {
  const asked = { QueueUrl, MessageSystemAttributeNames: ["All" as const], MessageAttributeNames: ["All"] };
  const { Messages = [] } = await aws.clients.sqs.send(new ReceiveMessageCommand(asked));
  return Messages.map(({ MessageId, Body, Attributes = {}, MessageAttributes = {} }) => {
    const attributes = Object.entries(MessageAttributes).map(([name, { StringValue }]) => [
      name,
      { stringValue: StringValue, dataType: "String" },
    ]);
    const messageAttributes = Object.fromEntries(attributes);
    const record = { messageId: MessageId, body: Body, attributes: Attributes, messageAttributes, eventSourceARN: arn };
    return controlRecord(record as unknown as SQSRecord, arn, "arn:of:another:queue");
  });
}

async function dueAt(Name: string): Promise<number | null> {
  const asked = new GetScheduleCommand({ Name, GroupName: aws.scheduleGroup });
  try {
    const { ScheduleExpression = "" } = await aws.clients.scheduler.send(asked);
    return Date.parse(`${ScheduleExpression.slice("at(".length, -1)}Z`);
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return null;
    throw error;
  }
}
