import { Duration } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { env } from "../functions/shared/env.js";
import type { Queues } from "./queues.js";
import { type FunctionContext, RelayFunction } from "./relay-function.js";
import type { Storage } from "./storage.js";
import { tableKeyActions } from "./table-key-actions.js";

export interface IngressProps extends FunctionContext {
  readonly storage: Storage;
  readonly queues: Queues;
}

/** Below the gateway's 30 s, so that a slow run ends in our own 5xx and its log, not in the gateway's. */
const timeout = Duration.seconds(25);

/** Accepts requests of providers and publishers, and answers once SQS has the event. */
export class Ingress extends Construct {
  readonly function: RelayFunction;

  constructor(scope: Construct, id: string, { storage, queues, ...context }: IngressProps) {
    super(scope, id);
    this.function = new RelayFunction(this, "Function", {
      ...context,
      name: "ingress",
      description: "Steadyhook: accepts events",
      timeout,
      environment: {
        [env.tableName]: storage.table.tableName,
        [env.bucketName]: storage.bucket.bucketName,
        [env.keyId]: storage.key.keyArn,
        [env.deliveryQueueUrl]: queues.delivery.queueUrl,
      },
    });
    this.function.allow(["dynamodb:GetItem"], storage.table.tableArn);
    // What could not be verified: an event item each, and how many there were of a source. No source, no delivery.
    this.allowItems(["dynamodb:PutItem"], storage, "EVT#*");
    this.allowItems(["dynamodb:UpdateItem"], storage, "QUA#*");
    this.function.allowMatching(["s3:PutObject"], storage.bodiesArn, "One object per event with a large body.");
    // The table; also secrets of sources (Decrypt), objects of the bucket and sealed credentials (GenerateDataKey).
    this.function.allow(tableKeyActions, storage.key.keyArn);
    this.function.allow(["sqs:SendMessage"], queues.delivery.queueArn);
  }

  /** Writes of items whose partition key matches. */
  private allowItems(actions: string[], { table }: Storage, partitionKeys: string): void {
    const conditions = { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": [partitionKeys] } };
    this.function.addToRolePolicy(new PolicyStatement({ actions, resources: [table.tableArn], conditions }));
  }
}
