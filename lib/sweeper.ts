import { Duration } from "aws-cdk-lib";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { Construct } from "constructs";
import { env } from "../functions/shared/env.js";
import { tableLayout } from "../functions/shared/table-layout.js";
import type { Queues } from "./queues.js";
import { type FunctionContext, RelayFunction } from "./relay-function.js";
import type { Scheduling } from "./scheduling.js";
import type { Storage } from "./storage.js";
import { tableKeyActions } from "./table-key-actions.js";

export interface SweeperProps extends FunctionContext {
  readonly storage: Storage;
  readonly queues: Queues;
  readonly scheduling: Scheduling;
}

/** A tick sends one page of messages; a minute is plenty, and a sixth of it is within every control message's visibility. */
const timeout = Duration.seconds(60);

/** The least that a mapping takes: ticks of one release follow each other, those of different ones may overlap. */
const maxConcurrency = 2;

/** Works off the control queue: ticks that release parked deliveries. */
export class Sweeper extends Construct {
  readonly function: RelayFunction;

  constructor(scope: Construct, id: string, { storage, queues, scheduling, ...context }: SweeperProps) {
    super(scope, id);
    const { settings } = context;
    this.function = new RelayFunction(this, "Function", {
      ...context,
      name: "sweeper",
      description: "Steadyhook: releases parked deliveries",
      timeout,
      feedsItself: true,
      environment: {
        [env.tableName]: storage.table.tableName,
        [env.deliveryQueueUrl]: queues.delivery.queueUrl,
        [env.deliveryQueueArn]: queues.delivery.queueArn,
        [env.controlQueueUrl]: queues.control.queueUrl,
        [env.scheduleGroup]: scheduling.groupName,
        [env.scheduleRoleArn]: scheduling.role.roleArn,
        [env.retentionDays]: String(settings.retention.toDays()),
        [env.maxQueueDelaySeconds]: settings.maxQueueDelaySeconds?.toString(),
      },
    });
    this.function.addEventSource(
      new SqsEventSource(queues.control, { batchSize: 1, maxConcurrency, reportBatchItemFailures: true }),
    );
    this.grantAccess(storage, queues);
    scheduling.grantSchedule(this.function);
  }

  private grantAccess({ table, key }: Storage, queues: Queues): void {
    this.function.allow(["dynamodb:BatchGetItem", "dynamodb:GetItem"], table.tableArn);
    this.function.allow(["dynamodb:Query"], `${table.tableArn}/index/${tableLayout.indexes.state.name}`);
    this.function.allow(tableKeyActions, key.keyArn);
    this.function.allow(["sqs:SendMessage"], queues.delivery.queueArn, queues.control.queueArn);
  }
}
