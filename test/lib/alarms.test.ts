import { readFileSync } from "node:fs";
import { Duration, type Stack } from "aws-cdk-lib";
import { Match, type Template } from "aws-cdk-lib/assertions";
import { type ISecret, Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Topic } from "aws-cdk-lib/aws-sns";
import { describe, expect, test } from "vitest";
import type { AlarmThresholds } from "../../lib/alarm-props.js";
import { properties, relayTemplate, resources, sorted, statements } from "./relay-template.js";

const alerts = (stack: Stack) => ({ slackWebhookUrl: new Secret(stack, "Slack") as ISecret });
const withAlarms = relayTemplate((stack) => ({ alarms: {}, alerts: alerts(stack) }));
const runbook = readFileSync(new URL("../../docs/runbook.md", import.meta.url), "utf8");

const alarmsOf = (template: Template) =>
  resources(template, "::CloudWatch::Alarm").map(([, { Properties }]) => Properties);
const alarm = (template: Template, id: string) =>
  properties(template, "::CloudWatch::Alarm", `RelayObservabilityAlarms${id}`);

/** The anchor that GitHub gives a heading of plain words. */
const anchorOf = (heading: string): string => heading.trim().toLowerCase().replaceAll(" ", "-");
const sections = [...runbook.matchAll(/^### (.+)$/gm)].map(([, heading]) => anchorOf(heading as string));

describe("alarms and their runbook", () => {
  const named = alarmsOf(withAlarms).map(
    ({ AlarmDescription }) => /docs\/runbook\.md#([a-z-]+)$/.exec(String(AlarmDescription))?.[1],
  );

  test("every alarm leads to a section that exists", () => {
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((section) => section === undefined || !sections.includes(section))).toEqual([]);
  });

  test("every section has its alarm", () => {
    expect(sections.filter((section) => !named.includes(section))).toEqual([]);
  });

  test("the runbook may live elsewhere", () => {
    const template = relayTemplate({ alarms: { runbookUrl: "https://wiki.example/hooks" } });
    for (const { AlarmDescription } of alarmsOf(template)) {
      expect(AlarmDescription).toMatch(/\. What to do: https:\/\/wiki\.example\/hooks#[a-z-]+$/);
    }
  });
});

describe("alarms", () => {
  test("tell the topic when they ring and when it is over", () => {
    const template = relayTemplate((stack) => ({ alarms: { topic: new Topic(stack, "Pager") } }));
    const [[topic]] = resources(template, "::SNS::Topic") as [[string, unknown]];
    expect(resources(template, "::SNS::Topic")).toHaveLength(1);
    for (const each of alarmsOf(template)) {
      expect(each).toMatchObject({ AlarmActions: [{ Ref: topic }], OKActions: [{ Ref: topic }] });
    }
  });

  test("have a topic of their own otherwise, to which only alarms of the account may publish, and only by TLS", () => {
    const policy = properties(withAlarms, "::SNS::TopicPolicy").PolicyDocument.Statement;
    expect(policy).toEqual([
      expect.objectContaining({ Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } }),
      expect.objectContaining({
        Effect: "Allow",
        Action: "sns:Publish",
        Principal: { Service: "cloudwatch.amazonaws.com" },
        Condition: expect.objectContaining({ StringEquals: { "aws:SourceAccount": { Ref: "AWS::AccountId" } } }),
      }),
    ]);
  });

  test("are sent to an address", () => {
    const template = relayTemplate({ alarms: { email: "ops@example.com" } });
    template.hasResourceProperties("AWS::SNS::Subscription", { Protocol: "email", Endpoint: "ops@example.com" });
  });

  test("do not exist where they are not wanted, nor does a topic", () => {
    const template = relayTemplate({ alarms: false });
    expect(alarmsOf(template)).toEqual([]);
    expect(resources(template, "::SNS::Topic")).toEqual([]);
  });

  test("stay silent while nothing is counted, except the one for the sweeper", () => {
    const breaching = resources(withAlarms, "::CloudWatch::Alarm").filter(
      ([, { Properties }]) => Properties["TreatMissingData"] !== "notBreaching",
    );
    expect(breaching).toHaveLength(1);
    expect(alarm(withAlarms, "SweeperStopped")).toMatchObject({
      TreatMissingData: "breaching",
      ComparisonOperator: "LessThanThreshold",
      MetricName: "OldestOverdueSeconds",
      Statistic: "SampleCount",
      Period: 900,
      Threshold: 1,
    });
  });

  test("look at the metrics of this relay only", () => {
    expect(alarm(withAlarms, "DeadLetterSpike")).toMatchObject({
      Namespace: "Steadyhook",
      MetricName: "DeadLettered",
      Dimensions: [{ Name: "Relay", Value: "Test/Relay" }],
      Statistic: "Sum",
      Period: 300,
      Threshold: 10,
      ComparisonOperator: "GreaterThanOrEqualToThreshold",
    });
    expect(properties(withAlarms, "::Lambda::Function", "RelayDelivery").Environment.Variables.RELAY_NAME).toBe(
      "Test/Relay",
    );
  });

  test("take the retry rate for what it is only with enough attempts", () => {
    const { Metrics, Threshold, EvaluationPeriods } = alarm(withAlarms, "RetryRate");
    expect({ Threshold, EvaluationPeriods }).toEqual({ Threshold: 0.3, EvaluationPeriods: 3 });
    expect(Metrics[0].Expression).toBe("IF(attempts >= 20, FILL(retried, 0) / attempts, 0)");
  });

  test("watch every function for errors and throttles, the alert function too", () => {
    const of = (metric: string) =>
      alarmsOf(withAlarms).filter(({ Namespace, MetricName }) => Namespace === "AWS/Lambda" && MetricName === metric);
    const functions = resources(withAlarms, "::Lambda::Function").length;
    expect(functions).toBe(5);
    expect(of("Errors")).toHaveLength(functions);
    expect(of("Throttles")).toHaveLength(functions);
  });

  test("ring at thresholds of one's own", () => {
    const thresholds: AlarmThresholds = {
      deadLetters: 1,
      deadLetterQueueDepth: 2,
      retryRate: 0.5,
      retryRateMinimumAttempts: 3,
      queueAge: Duration.hours(2),
      circuitOpen: Duration.hours(3),
      parked: Duration.hours(4),
      overdue: Duration.hours(5),
      apiErrors: 6,
    };
    const template = relayTemplate({ alarms: { thresholds } });
    const ids = [
      "DeadLetterSpike",
      "DeadLetterQueue",
      "RetryRate",
      "DeliveryQueueAge",
      "CircuitOpen",
      "ParkedForLong",
      "Overdue",
      "ApiErrors",
    ];
    expect(ids.map((id) => alarm(template, id).Threshold)).toEqual([1, 2, 0.5, 7_200, 10_800, 14_400, 18_000, 6]);
    expect(alarm(template, "RetryRate").Metrics[0].Expression).toContain("attempts >= 3");
  });

  test.each<[keyof AlarmThresholds, AlarmThresholds, RegExp]>([
    ["deadLetters", { deadLetters: 0 }, /alarms\.thresholds\.deadLetters must be a whole number from 1 on \(got 0\)/],
    [
      "retryRate",
      { retryRate: 30 },
      /alarms\.thresholds\.retryRate must be at most 1 \(got 30\)\. Pass a share such as 0\.3/,
    ],
    ["queueAge", { queueAge: Duration.minutes(15) }, /alarms\.thresholds\.queueAge must be whole seconds from 901/],
  ])("refuse a threshold that cannot work: %s", (_name, thresholds, message) => {
    expect(() => relayTemplate({ alarms: { thresholds } })).toThrow(message);
  });
});

describe("alerts", () => {
  test("are posted by a function that may read its secret, mark what it posted, and nothing else", () => {
    const actions = statements(withAlarms, "RelayObservabilityAlertsRole")
      .flatMap(({ Action }) => Action)
      .filter((action) => !/^(kms|logs):/.test(action));
    expect(sorted(actions)).toEqual([
      "dynamodb:UpdateItem",
      "secretsmanager:DescribeSecret",
      "secretsmanager:GetSecretValue",
      "sqs:GetQueueAttributes",
      "sqs:GetQueueUrl",
      "sqs:SendMessage",
    ]);
  });

  test("that fail three times lie on a queue that has an alarm", () => {
    withAlarms.hasResourceProperties("AWS::Lambda::EventInvokeConfig", {
      MaximumRetryAttempts: 2,
      DestinationConfig: { OnFailure: { Destination: Match.anyValue() } },
    });
    expect(alarm(withAlarms, "AlertsLost")).toMatchObject({ MetricName: "ApproximateNumberOfMessagesVisible" });
  });

  test("hold no secret in the environment, only its ARN", () => {
    const { Variables } = properties(withAlarms, "::Lambda::Function", "RelayObservabilityAlerts").Environment;
    expect(sorted(Object.keys(Variables))).toEqual(["ALERT_SECRET_ARN", "RELAY_NAME", "TABLE_NAME"]);
    expect(Variables.ALERT_SECRET_ARN).toEqual({ Ref: expect.stringContaining("Slack") });
  });

  test("go to a webhook of one's own", () => {
    const template = relayTemplate((stack) => ({
      alarms: {},
      alerts: { webhookUrl: "https://ops.example/alarms", signingSecret: new Secret(stack, "Signing") as ISecret },
    }));
    const { Variables } = properties(template, "::Lambda::Function", "RelayObservabilityAlerts").Environment;
    expect(Variables.ALERT_WEBHOOK_URL).toBe("https://ops.example/alarms");
  });

  test("are refused without alarms, and without TLS", () => {
    expect(() => relayTemplate((stack) => ({ alerts: alerts(stack) }))).toThrow(/alerts is given without alarms/);
    const http = (stack: Stack) => ({
      webhookUrl: "http://ops.example",
      signingSecret: new Secret(stack, "Signing") as ISecret,
    });
    expect(() => relayTemplate((stack) => ({ alarms: {}, alerts: http(stack) }))).toThrow(
      /alerts\.webhookUrl is not an https URL/,
    );
  });
});

describe("the dashboard", () => {
  const bodyOf = (template: Template) => JSON.stringify(properties(template, "::CloudWatch::Dashboard").DashboardBody);

  test("shows every metric of the relay", async () => {
    const { metricUnits } = await import("../../functions/shared/metric-names.js");
    const body = bodyOf(withAlarms);
    expect(Object.keys(metricUnits).filter((name) => !body.includes(`\\"${name}\\"`))).toEqual([]);
    expect(body).toContain('\\"type\\":\\"alarm\\"');
  });

  test("exists without alarms, and can be left out", () => {
    expect(bodyOf(relayTemplate())).not.toContain('\\"type\\":\\"alarm\\"');
    expect(resources(relayTemplate({ dashboard: false }), "::CloudWatch::Dashboard")).toEqual([]);
  });
});
