import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import { SteadyhookStack, type SteadyhookStackProps } from "../../lib/steadyhook-stack.js";
import { anApp, properties, resources, sorted, stubFunctions } from "./relay-template.js";

function stackTemplate(context: Record<string, unknown> = {}, props: Partial<SteadyhookStackProps> = {}): Template {
  const stack = new SteadyhookStack(anApp(context), "Hooks", { alarms: false, functionsPath: stubFunctions, ...props });
  return Template.fromStack(stack);
}

const variables = (template: Template) =>
  properties(template, "::Lambda::Function", "SteadyhookDelivery").Environment.Variables;

describe("the stack", () => {
  test("has outputs with plain names, each with a description to find it by", () => {
    const outputs = stackTemplate().findOutputs("*");
    expect(sorted(Object.keys(outputs))).toEqual([
      "AdminUrl",
      "BucketName",
      "DeadLetterQueueUrl",
      "DeliveryQueueUrl",
      "FaultQueueUrl",
      "IngressUrl",
      "PublishUrl",
      "TableName",
    ]);
    for (const [name, { Description }] of Object.entries(outputs)) {
      expect(Description).toMatch(new RegExp(`^Steadyhook ${name} \\(Hooks/Steadyhook\\): `));
    }
  });

  test("keeps the logical ids of what must not be lost: another id would replace the resource", () => {
    const template = stackTemplate();
    const ids = (type: string) => resources(template, type).map(([id]) => id);
    expect({
      table: ids("::GlobalTable"),
      bucket: ids("::S3::Bucket"),
      key: ids("::KMS::Key"),
      queues: ids("::SQS::Queue"),
      scheduleGroup: ids("::ScheduleGroup"),
      api: ids("::ApiGatewayV2::Api"),
    }).toEqual({
      table: ["SteadyhookStorageTable74F29AF0"],
      bucket: ["SteadyhookStorageBucketC2B29F0D"],
      key: ["SteadyhookStorageKeyCD7F90A2"],
      queues: [
        "SteadyhookQueuesFaultD7FE1C3A",
        "SteadyhookQueuesDelivery897BCD15",
        "SteadyhookQueuesSlowLaneA526DB36",
        "SteadyhookQueuesControl3B6CBA7C",
        "SteadyhookQueuesDeadLetter5EC18E91",
      ],
      scheduleGroup: ["SteadyhookSchedulingGroup09869092"],
      api: ["SteadyhookHttpApiF2973690"],
    });
  });

  test("takes system-wide defaults from context, as text or number", () => {
    const template = stackTemplate({
      "steadyhook:policyPreset": "hookwatch",
      "steadyhook:maxAttempts": "8",
      "steadyhook:connectSeconds": 2,
      "steadyhook:readSeconds": "5",
      "steadyhook:deliverySeconds": "20",
      "steadyhook:maxQueueDelaySeconds": "3",
      "steadyhook:privateDestinations": "10.20.0.0/16, 172.17.0.0/16",
    });
    expect(JSON.parse(variables(template).SYSTEM_DEFAULTS)).toEqual({
      policyPreset: "hookwatch",
      maxAttempts: 8,
      connectSeconds: 2,
      readSeconds: 5,
    });
    expect(variables(template).MAX_QUEUE_DELAY_SECONDS).toBe("3");
    expect(variables(template).PRIVATE_DESTINATION_CIDRS).toBe("10.20.0.0/16,172.17.0.0/16");
    expect(properties(template, "::Lambda::Function", "SteadyhookDelivery").Timeout).toBe(20);
  });

  test("prefers props to context", () => {
    const template = stackTemplate({ "steadyhook:maxAttempts": 8 }, { defaults: { maxAttempts: 3 } });
    expect(JSON.parse(variables(template).SYSTEM_DEFAULTS).maxAttempts).toBe(3);
  });

  test("refuses context that is no number, and names the key", () => {
    expect(() => stackTemplate({ "steadyhook:maxAttempts": "many" })).toThrow(
      /context steadyhook:maxAttempts must be a number \(got "many"\)\. Pass -c steadyhook:maxAttempts=NUMBER/,
    );
  });

  test("takes topic and address of alarms from context, and the secret of Slack's webhook", () => {
    const topic = "arn:aws:sns:eu-west-1:123456789012:pager";
    const secret = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:slack-AbCdEf";
    const template = stackTemplate({
      "steadyhook:alarmTopicArn": topic,
      "steadyhook:alarmEmail": "ops@example.com",
      "steadyhook:slackWebhookSecretArn": secret,
    });
    template.hasResourceProperties("AWS::CloudWatch::Alarm", { AlarmActions: [topic] });
    template.hasResourceProperties("AWS::SNS::Subscription", { TopicArn: topic, Protocol: "email" });
    const { Variables } = properties(template, "::Lambda::Function", "SteadyhookObservabilityAlerts").Environment;
    expect(Variables.ALERT_SECRET_ARN).toBe(secret);
  });

  test("has alarms with a topic of their own when context names an address only, and none without either", () => {
    const template = stackTemplate({ "steadyhook:alarmEmail": "ops@example.com" });
    expect(resources(template, "::SNS::Topic")).toHaveLength(1);
    expect(resources(stackTemplate(), "::CloudWatch::Alarm")).toEqual([]);
  });
});
