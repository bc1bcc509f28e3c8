import { randomUUID } from "node:crypto";
import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { dynamodb, kms, s3, scheduler } from "../adapters/aws/clients.js";
import { systemDefaults } from "../adapters/aws/config-defaults.js";
import { CachedSubscriptionConfigs } from "../adapters/aws/config-table.js";
import { S3ContentStore } from "../adapters/aws/content-store.js";
import { DynamoDeliveryTable } from "../adapters/aws/delivery-table.js";
import { DynamoEventTable } from "../adapters/aws/event-table.js";
import { CachedGates } from "../adapters/aws/gates.js";
import { SchedulerSchedules } from "../adapters/aws/schedules.js";
import { Vault } from "../adapters/aws/vault.js";
import { KmsDataKeys } from "../adapters/aws/vault-kms.js";
import { HttpSender } from "../adapters/http/sender.js";
import type { DeliveryContext } from "../app/delivery/delivery-context.js";
import { invocationTime } from "../app/delivery/invocation-time.js";
import { OutcomeMemory } from "../app/delivery/outcome-memory.js";
import { processBatch, type ReceivedRecord } from "../app/delivery/process-batch.js";
import { env } from "../shared/env.js";
import { log } from "../shared/log.js";
import { InvocationMetrics } from "../shared/metrics.js";
import { list, required, wholeNumber } from "../shared/read-env.js";
import { ContentsInTurn } from "./contents-in-turn.js";
import { LazyQueues } from "./lazy-queues.js";

// Called by AWS: one batch from the delivery queue or the slow lane. Never throws: one record's failure is its own.
export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  services ??= buildServices();
  const time = invocationTime(Date.now(), context.getRemainingTimeInMillis());
  const failed = await processBatch(services, event.Records.map(toRecord), time);
  metrics.flush(Date.now());
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
}

// For every record.
function toRecord(record: SQSEvent["Records"][number]): ReceivedRecord {
  const { messageId, receiptHandle, body, eventSourceARN } = record;
  const receiveCount = Number(record.attributes.ApproximateReceiveCount) || 1;
  const firstReceivedAtMs = Number(record.attributes.ApproximateFirstReceiveTimestamp) || 0;
  const lane = eventSourceARN === required(env.deliveryQueueArn) ? "fast" : "slow";
  return { messageId, receiptHandle, body, receiveCount, firstReceivedAtMs, lane };
}

// On a cold start only, and not on import: a test may load this file without an environment.
let services: DeliveryContext | undefined;

const metrics = new InvocationMetrics();

function buildServices(): DeliveryContext {
  const now = Date.now;
  const table = { client: dynamodb, tableName: required(env.tableName) };
  const timed = { ...table, now };
  const vault = new Vault(new KmsDataKeys(kms, required(env.keyId)));
  const kept = { now, retentionDays: wholeNumber(env.retentionDays, 30) };
  const queues = new LazyQueues({
    delivery: required(env.deliveryQueueUrl),
    slow: required(env.slowQueueUrl),
    control: required(env.controlQueueUrl),
    deadLetter: required(env.deadLetterQueueUrl),
    fault: required(env.faultQueueUrl),
  });
  return {
    subscriptions: new CachedSubscriptionConfigs({ ...timed, vault }, systemDefaults()),
    gates: new CachedGates(timed),
    events: new DynamoEventTable(table, kept),
    deliveries: new DynamoDeliveryTable(table, kept),
    contents: new ContentsInTurn(new S3ContentStore(s3, required(env.bucketName))),
    queue: queues,
    control: queues,
    deadLetters: queues,
    faults: queues,
    scheduler: new SchedulerSchedules(scheduler, {
      groupName: required(env.scheduleGroup),
      roleArn: required(env.scheduleRoleArn),
      queueArn: required(env.deliveryQueueArn),
    }),
    sender: new HttpSender({
      now,
      allowLoopback: process.env[env.allowLoopback] === "true",
      privateCidrs: list(env.privateCidrs),
    }),
    outcomes: new OutcomeMemory(),
    now,
    after(afterMs, run) {
      const timer = setTimeout(run, afterMs);
      return () => clearTimeout(timer);
    },
    random: Math.random,
    newToken: randomUUID,
    log,
    metrics,
    settings: {
      retentionDays: kept.retentionDays,
      maxQueueDelaySeconds: wholeNumber(env.maxQueueDelaySeconds, 900),
    },
  };
}
