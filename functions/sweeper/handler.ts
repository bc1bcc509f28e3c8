import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { dynamodb, s3, scheduler } from "../adapters/aws/clients.js";
import { systemDefaults } from "../adapters/aws/config-defaults.js";
import { S3ContentStore } from "../adapters/aws/content-store.js";
import { DynamoDeliveryTable } from "../adapters/aws/delivery-table.js";
import { DynamoDueList } from "../adapters/aws/due-list.js";
import { DynamoFaultTable } from "../adapters/aws/fault-table.js";
import { CachedGates } from "../adapters/aws/gates.js";
import { TableDeliveryIndex } from "../adapters/aws/listing-index.js";
import { DynamoParkedList } from "../adapters/aws/parked-list.js";
import { DynamoParkedSample } from "../adapters/aws/parked-sample.js";
import { SqsQueues } from "../adapters/aws/queues.js";
import { DynamoReplayTable } from "../adapters/aws/replay-table.js";
import { SchedulerSchedules } from "../adapters/aws/schedules.js";
import { sqs } from "../adapters/aws/sqs-client.js";
import { CachedSubscriptionSettings } from "../adapters/aws/subscription-settings.js";
import { DynamoSweepLease } from "../adapters/aws/sweep-lease.js";
import { type ControlContext, processControl } from "../app/control/process-control.js";
import { type RunSweepContext, runSweep } from "../app/control/run-sweep.js";
import { env } from "../shared/env.js";
import { log } from "../shared/log.js";
import { InvocationMetrics } from "../shared/metrics.js";
import { required, wholeNumber } from "../shared/read-env.js";
import { controlRecord } from "./control-record.js";

// Called by AWS: by the clock for a sweep, and with what lies on the control queue and on the fault queue.
export async function handler(
  event: SQSEvent | Readonly<Record<string, unknown>>,
  context: Context,
): Promise<SQSBatchResponse> {
  services ??= buildServices();
  try {
    return await run(services, event, context);
  } finally {
    metrics.flush(Date.now());
  }
}

async function run(
  services: Services,
  event: SQSEvent | Readonly<Record<string, unknown>>,
  context: Context,
): Promise<SQSBatchResponse> {
  if (!isSqsEvent(event)) {
    await runSweep(services, context.getRemainingTimeInMillis());
    return { batchItemFailures: [] };
  }
  const faultQueueArn = required(env.faultQueueArn);
  const failed = await processControl(
    services,
    event.Records.map((record) => controlRecord(record, faultQueueArn, required(env.controlQueueArn))),
  );
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
}

const isSqsEvent = (event: object): event is SQSEvent => Array.isArray((event as Partial<SQSEvent>).Records);

// On a cold start only, and not on import: a test may load this file without an environment.
let services: Services | undefined;

type Services = ControlContext & RunSweepContext;

const metrics = new InvocationMetrics();

function buildServices(): Services {
  const now = Date.now;
  const table = { client: dynamodb, tableName: required(env.tableName), now };
  const retentionDays = wholeNumber(env.retentionDays, 30);
  const queues = new SqsQueues(sqs(), {
    delivery: required(env.deliveryQueueUrl),
    slow: required(env.slowQueueUrl),
    control: required(env.controlQueueUrl),
  });
  return {
    gates: new CachedGates(table),
    subscriptions: new CachedSubscriptionSettings(table, systemDefaults()),
    deliveries: new DynamoDeliveryTable(table, { now, retentionDays }),
    parked: new DynamoParkedList(table),
    parkedSample: new DynamoParkedSample(table),
    dueList: new DynamoDueList(table),
    replays: new DynamoReplayTable(table),
    deliveryIndex: new TableDeliveryIndex(table),
    retentionDays,
    lease: new DynamoSweepLease(table),
    faults: new DynamoFaultTable(table, new S3ContentStore(s3, required(env.bucketName)), retentionDays),
    control: queues,
    inbox: queues,
    queue: queues,
    scheduler: new SchedulerSchedules(scheduler, {
      groupName: required(env.scheduleGroup),
      roleArn: required(env.scheduleRoleArn),
      queueArn: required(env.deliveryQueueArn),
    }),
    now,
    random: Math.random,
    log,
    metrics,
    settings: { maxQueueDelaySeconds: wholeNumber(env.maxQueueDelaySeconds, 900) },
  };
}
