import { Duration } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction as LambdaTarget } from "aws-cdk-lib/aws-events-targets";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { env } from "../functions/shared/env.js";
import { tableLayout } from "../functions/shared/table-layout.js";
import type { Queues } from "./queues.js";
import { type FunctionContext, RelayFunction } from "./relay-function.js";
import type { Scheduling } from "./scheduling.js";
import type { Storage } from "./storage.js";
import { systemDefaultsJson } from "./system-defaults.js";
import { tableKeyActions } from "./table-key-actions.js";

export interface SweeperProps extends FunctionContext {
  readonly storage: Storage;
  readonly queues: Queues;
  readonly scheduling: Scheduling;
}

/** A tick sends one page of messages; a minute is plenty, and a sixth of it is within every control message's visibility. */
export const sweeperTimeout = Duration.seconds(60);

/** Ticks of one release follow each other; those of a hundred subscriptions that come back together overlap. */
const controlConcurrency = 10;
/** The least that a mapping takes: faults are rare, and nobody waits for them. */
const faultConcurrency = 2;

/** How often everything that is overdue is looked at. */
const sweepEvery = Duration.minutes(5);

/**
 * What keeps a relay whole: sweeps what is overdue every few minutes, works off the control queue (ticks that probe
 * destinations and release parked deliveries), and keeps what lands on the fault queue.
 */
export class Sweeper extends Construct {
  readonly function: RelayFunction;

  constructor(scope: Construct, id: string, { storage, queues, scheduling, ...context }: SweeperProps) {
    super(scope, id);
    const { settings } = context;
    this.function = new RelayFunction(this, "Function", {
      ...context,
      name: "sweeper",
      description: "Steadyhook: sweeps what is overdue, releases what is parked, keeps faults",
      timeout: sweeperTimeout,
      feedsItself: true,
      environment: {
        [env.tableName]: storage.table.tableName,
        [env.deliveryQueueUrl]: queues.delivery.queueUrl,
        [env.deliveryQueueArn]: queues.delivery.queueArn,
        [env.slowQueueUrl]: queues.slowLane.queueUrl,
        [env.controlQueueUrl]: queues.control.queueUrl,
        [env.controlQueueArn]: queues.control.queueArn,
        [env.faultQueueArn]: queues.fault.queueArn,
        [env.bucketName]: storage.bucket.bucketName,
        [env.scheduleGroup]: scheduling.groupName,
        [env.scheduleRoleArn]: scheduling.role.roleArn,
        [env.systemDefaults]: systemDefaultsJson(settings),
        [env.retentionDays]: String(settings.retention.toDays()),
        [env.maxQueueDelaySeconds]: settings.maxQueueDelaySeconds?.toString(),
      },
    });
    this.consume(queues.control, controlConcurrency);
    this.consume(queues.fault, faultConcurrency);
    new Rule(this, "Schedule", {
      description: "Steadyhook: starts a sweep",
      schedule: Schedule.rate(sweepEvery),
      targets: [new LambdaTarget(this.function, { retryAttempts: 0 })],
    });
    this.grantAccess(storage, queues);
    scheduling.grantSchedule(this.function);
  }

  private consume(queue: Queue, maxConcurrency: number): void {
    this.function.addEventSource(
      new SqsEventSource(queue, { batchSize: 1, maxConcurrency, reportBatchItemFailures: true }),
    );
  }

  private grantAccess({ table, faultsArn, key }: Storage, queues: Queues): void {
    this.function.allow(["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:UpdateItem"], table.tableArn);
    // `listing`: what was delivered is replayed by it.
    const indexes = Object.values(tableLayout.indexes);
    this.function.allow(["dynamodb:Query"], ...indexes.map(({ name }) => `${table.tableArn}/index/${name}`));
    this.function.allowMatching(["s3:PutObject"], faultsArn, "One object per fault with a long body.");
    this.function.allow(tableKeyActions, key.keyArn);
    const { delivery, slowLane, control } = queues;
    this.function.allow(["sqs:SendMessage"], delivery.queueArn, slowLane.queueArn, control.queueArn);
  }
}
