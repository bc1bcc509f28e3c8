import type { SNSEvent } from "aws-lambda";

/** What CloudWatch publishes when an alarm changes its state, as SNS hands it to a function. */
export function alarmEvent(
  overrides: Readonly<Record<string, unknown>> = {},
  messageId = "95df01b4-ee98-5cb9-9903-4c221d41eb5e",
): SNSEvent {
  const message = {
    AlarmName: "Hooks-DeadLetterSpike",
    AlarmDescription: "Many deliveries got their last failure. What to do: docs/runbook.md#dead-letter-spike",
    AWSAccountId: "111122223333",
    AlarmConfigurationUpdatedTimestamp: "2026-01-31T10:00:00.000+0000",
    NewStateValue: "ALARM",
    NewStateReason: "Threshold Crossed: 1 datapoint [12.0 (31/01/26 11:55:00)] was >= the threshold (10.0).",
    StateChangeTime: "2026-01-31T12:00:00.123+0000",
    Region: "EU (Ireland)",
    AlarmArn: "arn:aws:cloudwatch:eu-west-1:111122223333:alarm:Hooks-DeadLetterSpike",
    OldStateValue: "OK",
    OKActions: [],
    AlarmActions: ["arn:aws:sns:eu-west-1:111122223333:pager"],
    Trigger: { MetricName: "DeadLettered", Namespace: "Steadyhook", StatisticType: "Statistic", Statistic: "SUM" },
    ...overrides,
  };
  return topicEvent(JSON.stringify(message), `ALARM: "${message.AlarmName}" in EU (Ireland)`, messageId);
}

/** Any message of a topic. */
export function topicEvent(Message: string, Subject: string, MessageId: string): SNSEvent {
  const TopicArn = "arn:aws:sns:eu-west-1:111122223333:pager";
  const Sns = {
    Type: "Notification",
    MessageId,
    TopicArn,
    Subject,
    Message,
    Timestamp: "2026-01-31T12:00:00.456Z",
    SignatureVersion: "1",
    Signature: "tcc6faL2yUC6dgZdmrwh1Y4cGa/ebXEkAi6RibDsvpi+tE/1+82j...65r==",
    SigningCertUrl:
      "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-ac565b8b1a6c5d002d285f9598aa1d9b.pem",
    UnsubscribeUrl: "https://sns.eu-west-1.amazonaws.com/?Action=Unsubscribe",
    MessageAttributes: {},
  };
  const EventSubscriptionArn = `${TopicArn}:21be56ed-a058-49f5-8c98-aedd2564c486`;
  return { Records: [{ EventSource: "aws:sns", EventVersion: "1.0", EventSubscriptionArn, Sns }] };
}
