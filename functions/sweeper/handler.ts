import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { dynamodb, scheduler, sqs } from "../adapters/aws/clients.js";
import { CachedGates } from "../adapters/aws/config-table.js";
import { DynamoDeliveryTable } from "../adapters/aws/delivery-table.js";
import { DynamoParkedList } from "../adapters/aws/parked-list.js";
import { SqsQueues } from "../adapters/aws/queues.js";
import { SchedulerSchedules } from "../adapters/aws/schedules.js";
import { processTicks } from "../app/control/process-ticks.js";
import type { ReleaseContext } from "../app/control/release-parked.js";
import { env } from "../shared/env.js";
import { log } from "../shared/log.js";
import { required, wholeNumber } from "../shared/read-env.js";

// Called by AWS: ticks from the control queue.
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  services ??= buildServices();
  const failed = await processTicks(services, event.Records);
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
}

// On a cold start only, and not on import: a test may load this file without an environment.
let services: ReleaseContext | undefined;

function buildServices(): ReleaseContext {
  const now = Date.now;
  const table = { client: dynamodb, tableName: required(env.tableName), now };
  const queues = new SqsQueues(sqs(), {
    delivery: required(env.deliveryQueueUrl),
    control: required(env.controlQueueUrl),
  });
  return {
    gates: new CachedGates(table),
    deliveries: new DynamoDeliveryTable(table, { now, retentionDays: wholeNumber(env.retentionDays, 30) }),
    parked: new DynamoParkedList(table),
    control: queues,
    queue: queues,
    scheduler: new SchedulerSchedules(scheduler, {
      groupName: required(env.scheduleGroup),
      roleArn: required(env.scheduleRoleArn),
      queueArn: required(env.deliveryQueueArn),
    }),
    now,
    log,
    settings: { maxQueueDelaySeconds: wholeNumber(env.maxQueueDelaySeconds, 900) },
  };
}
