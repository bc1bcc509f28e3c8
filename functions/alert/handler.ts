import type { SNSEvent } from "aws-lambda";
import { DynamoAlertMarks } from "../adapters/aws/alert-marks.js";
import { dynamodb } from "../adapters/aws/clients.js";
import { defaultProvider } from "../adapters/aws/environment-credentials.js";
import { secretValue } from "../adapters/aws/secret-value.js";
import { HttpSender } from "../adapters/http/sender.js";
import { type AlertContext, sendAlert } from "../app/alert/send-alert.js";
import { env } from "../shared/env.js";
import { log } from "../shared/log.js";
import { list, required } from "../shared/read-env.js";

// Called by AWS, with one message of the alarms' topic. Throws when it was not posted: Lambda tries again.
export async function handler(event: SNSEvent): Promise<void> {
  services ??= buildServices();
  for (const { Sns } of event.Records) {
    const { MessageId: messageId, Message: message, Subject } = Sns;
    await sendAlert(services, { messageId, message, subject: Subject || null });
  }
}

// On a cold start only, and not on import: a test may load this file without an environment.
let services: AlertContext | undefined;

function buildServices(): AlertContext {
  const now = Date.now;
  const secretsManager = {
    service: "secretsmanager",
    region: required("AWS_REGION"),
    endpoint: process.env["AWS_ENDPOINT_URL_SECRETS_MANAGER"] ?? process.env["AWS_ENDPOINT_URL"],
    credentials: defaultProvider(),
    now,
  };
  return {
    marks: new DynamoAlertMarks({ client: dynamodb, tableName: required(env.tableName) }),
    secret: secretValue(secretsManager, required(env.alertSecretArn)),
    webhookUrl: process.env[env.alertWebhookUrl] ?? null,
    sender: new HttpSender({
      now,
      allowLoopback: process.env[env.allowLoopback] === "true",
      privateCidrs: list(env.privateCidrs),
    }),
    now,
    log,
  };
}
