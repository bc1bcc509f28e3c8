import { Duration } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { SqsDestination } from "aws-cdk-lib/aws-lambda-destinations";
import type { ISecret } from "aws-cdk-lib/aws-secretsmanager";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import { LambdaSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { env } from "../functions/shared/env.js";
import { acknowledge } from "./acknowledge.js";
import type { AlertSettings } from "./alarm-props.js";
import { type FunctionContext, RelayFunction } from "./relay-function.js";
import type { Storage } from "./storage.js";
import { tableKeyActions } from "./table-key-actions.js";

export interface AlertsProps extends FunctionContext {
  readonly topic: ITopic;
  readonly alerts: AlertSettings;
  readonly storage: Storage;
}

/** A read of the secret, a write of the mark, and a post that may take 10 s. */
const timeout = Duration.seconds(30);

/** Posts what the alarms say to Slack or to a webhook. Lambda tries three times; what fails then lies on a queue. */
export class Alerts extends Construct {
  readonly function: RelayFunction;
  /** Alerts that could not be posted. */
  readonly failures: Queue;

  constructor(scope: Construct, id: string, { topic, alerts, storage, ...context }: AlertsProps) {
    super(scope, id);
    const secret = "slackWebhookUrl" in alerts ? alerts.slackWebhookUrl : alerts.signingSecret;
    this.failures = new Queue(this, "Failures", {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    acknowledge(this.failures, "AwsSolutions-SQS3", "It is itself the end: alerts that could not be posted.");
    this.function = new RelayFunction(this, "Function", {
      ...context,
      name: "alert",
      description: "Steadyhook: posts alarms to Slack or a webhook",
      timeout,
      environment: {
        [env.tableName]: storage.table.tableName,
        [env.alertSecretArn]: secret.secretArn,
        [env.alertWebhookUrl]: "webhookUrl" in alerts ? alerts.webhookUrl : undefined,
        [env.privateCidrs]: context.settings.privateDestinations,
      },
    });
    this.function.configureAsyncInvoke({ retryAttempts: 2, onFailure: new SqsDestination(this.failures) });
    topic.addSubscription(new LambdaSubscription(this.function));
    this.grantAccess(secret, storage);
  }

  private grantAccess(secret: ISecret, { table, key }: Storage): void {
    secret.grantRead(this.function);
    // One item per alarm and state: nothing else of the table.
    this.function.addToRolePolicy(
      new PolicyStatement({
        actions: ["dynamodb:UpdateItem"],
        resources: [table.tableArn],
        conditions: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["ALERT#*"] } },
      }),
    );
    this.function.allow(tableKeyActions, key.keyArn);
  }
}
