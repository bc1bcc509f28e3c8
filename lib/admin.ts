import { Duration } from "aws-cdk-lib";
import { Construct } from "constructs";
import { env } from "../functions/shared/env.js";
import { tableLayout } from "../functions/shared/table-layout.js";
import type { Queues } from "./queues.js";
import { type FunctionContext, RelayFunction } from "./relay-function.js";
import type { Storage } from "./storage.js";
import { systemDefaultsJson } from "./system-defaults.js";
import { tableKeyActions } from "./table-key-actions.js";

export interface AdminProps extends FunctionContext {
  readonly storage: Storage;
  readonly queues: Queues;
}

/** Below the gateway's 30 s, so that a slow run ends in our own 5xx and its log, not in the gateway's. */
const timeout = Duration.seconds(28);

/** Answers the admin API: sources, subscriptions, deliveries, events, faults. */
export class Admin extends Construct {
  readonly function: RelayFunction;

  constructor(scope: Construct, id: string, { storage, queues, ...context }: AdminProps) {
    super(scope, id);
    const { settings } = context;
    this.function = new RelayFunction(this, "Function", {
      ...context,
      name: "admin",
      description: "Steadyhook: answers the admin API",
      timeout,
      environment: {
        [env.tableName]: storage.table.tableName,
        [env.bucketName]: storage.bucket.bucketName,
        [env.keyId]: storage.key.keyArn,
        [env.deliveryQueueUrl]: queues.delivery.queueUrl,
        [env.controlQueueUrl]: queues.control.queueUrl,
        [env.slowQueueUrl]: queues.slowLane.queueUrl,
        [env.deadLetterQueueUrl]: queues.deadLetter.queueUrl,
        [env.faultQueueUrl]: queues.fault.queueUrl,
        [env.deliveryTimeoutSeconds]: String(settings.deliveryTimeout.toSeconds()),
        [env.systemDefaults]: systemDefaultsJson(settings),
        [env.privateCidrs]: settings.privateDestinations,
        [env.retentionDays]: String(settings.retention.toDays()),
      },
    });
    this.grantAccess(storage);
    this.function.allow(["sqs:SendMessage"], queues.delivery.queueArn, queues.control.queueArn);
    // The past of /admin/stats. Metrics are no resources: their readers may read all.
    this.function.allowMatching(["cloudwatch:GetMetricData"], "*", "GetMetricData knows no resources.");
    const { delivery, slowLane, control, deadLetter, fault } = queues;
    const depthsOf = [delivery, slowLane, control, deadLetter, fault].map(({ queueArn }) => queueArn);
    this.function.allow(["sqs:GetQueueAttributes"], ...depthsOf);
  }

  private grantAccess({ table, bucket, bodiesArn, faultsArn, key }: Storage): void {
    this.function.allow(
      [
        "dynamodb:BatchGetItem",
        "dynamodb:DeleteItem",
        "dynamodb:GetItem",
        "dynamodb:PutItem",
        "dynamodb:Query",
        "dynamodb:UpdateItem",
      ],
      table.tableArn,
    );
    const indexes = Object.values(tableLayout.indexes).map(({ name }) => `${table.tableArn}/index/${name}`);
    this.function.allow(["dynamodb:Query"], ...indexes);
    // PutObject: a large body is offered for download as an object of its own.
    // DeleteObject: an erasure.
    const onBodies = ["s3:DeleteObject", "s3:GetObject", "s3:PutObject"];
    this.function.allowMatching(onBodies, bodiesArn, "One object per event with a large body.");
    this.function.allow(["s3:ListBucket"], bucket.bucketArn);
    this.function.allowMatching(["s3:GetObject"], faultsArn, "One object per fault with a long body.");
    this.function.allow(tableKeyActions, key.keyArn);
  }
}
