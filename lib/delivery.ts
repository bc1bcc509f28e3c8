import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { env } from "../functions/shared/env.js";
import type { Queues } from "./queues.js";
import { type FunctionContext, RelayFunction } from "./relay-function.js";
import type { Scheduling } from "./scheduling.js";
import type { Storage } from "./storage.js";
import { systemDefaultsJson } from "./system-defaults.js";
import { tableKeyActions } from "./table-key-actions.js";

export interface DeliveryProps extends FunctionContext {
  readonly storage: Storage;
  readonly queues: Queues;
  readonly scheduling: Scheduling;
}

/** Messages per invocation: their requests go out in parallel, so more would only share one timeout. */
const batchSize = 10;

/**
 * Ten bodies of the gateway's 6 MB, which arrive one after the other, were seen to need 258 MB while their destination
 * kept them waiting (`npm run bench -- function-cpu`). Waiting for destinations is most of what this function costs, and
 * nobody waits for its cold start.
 */
const memoryMb = 384;

/** Fans events out and makes the attempts, from the delivery queue and the slow lane. */
export class Delivery extends Construct {
  readonly function: RelayFunction;

  constructor(scope: Construct, id: string, { storage, queues, scheduling, ...context }: DeliveryProps) {
    super(scope, id);
    const { settings } = context;
    this.function = new RelayFunction(this, "Function", {
      ...context,
      name: "delivery",
      description: "Steadyhook: delivers events to destinations",
      timeout: settings.deliveryTimeout,
      feedsItself: true,
      memoryMb,
      environment: {
        [env.tableName]: storage.table.tableName,
        [env.bucketName]: storage.bucket.bucketName,
        [env.keyId]: storage.key.keyArn,
        [env.deliveryQueueUrl]: queues.delivery.queueUrl,
        [env.deliveryQueueArn]: queues.delivery.queueArn,
        [env.slowQueueUrl]: queues.slowLane.queueUrl,
        [env.controlQueueUrl]: queues.control.queueUrl,
        [env.deadLetterQueueUrl]: queues.deadLetter.queueUrl,
        [env.faultQueueUrl]: queues.fault.queueUrl,
        [env.scheduleGroup]: scheduling.groupName,
        [env.scheduleRoleArn]: scheduling.role.roleArn,
        [env.systemDefaults]: systemDefaultsJson(settings),
        [env.privateCidrs]: settings.privateDestinations,
        [env.retentionDays]: String(settings.retention.toDays()),
        [env.maxQueueDelaySeconds]: settings.maxQueueDelaySeconds?.toString(),
        // A look-up holds one of libuv's threads, of which there are four otherwise: as many names whose servers are
        // silent would stop the look-ups of every other destination.
        UV_THREADPOOL_SIZE: "64",
      },
    });
    this.consume(queues.delivery, settings.maxConcurrency);
    this.consume(queues.slowLane, settings.slowLaneConcurrency);
    this.grantAccess(storage, queues);
    scheduling.grantSchedule(this.function);
  }

  private consume(queue: Queue, maxConcurrency: number): void {
    this.function.addEventSource(
      // A limit on the mapping, not reserved concurrency: a throttled message would count as received.
      new SqsEventSource(queue, { batchSize, maxConcurrency, reportBatchItemFailures: true }),
    );
  }

  private grantAccess({ table, bodiesArn, key }: Storage, queues: Queues): void {
    this.function.allow(
      ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem"],
      table.tableArn,
    );
    this.function.allowMatching(["s3:GetObject", "s3:PutObject"], bodiesArn, "One object per event with a large body.");
    this.function.allow(tableKeyActions, key.keyArn);
    this.function.allow(
      ["sqs:SendMessage"],
      queues.delivery.queueArn,
      queues.slowLane.queueArn,
      queues.control.queueArn,
      queues.deadLetter.queueArn,
      queues.fault.queueArn,
    );
  }
}
