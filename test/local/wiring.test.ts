import { describe, expect, test } from "vitest";
import { CloudTemplate, type TemplateResource } from "../../local/cloud-template.js";
import { readWiring } from "../../local/read-wiring.js";

const endpoints = { awsUrl: "http://127.0.0.1:4000", gatewayUrl: "http://127.0.0.1:8787" };
/** `<Name>` as Fn::Sub writes it. */
const substituted = (text: string) => text.replace(/<([^>]+)>/g, "$${$1}");
const getArn = (id: string) => ({ "Fn::GetAtt": [id, "Arn"] });

/** A small stack with one of each. */
const resources: Record<string, TemplateResource> = {
  RelayTable0A1B2C3D: {
    Type: "AWS::DynamoDB::GlobalTable",
    Properties: {
      KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
      AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
      GlobalSecondaryIndexes: [
        {
          IndexName: "due",
          KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
          Projection: { ProjectionType: "ALL" },
        },
      ],
    },
  },
  RelayBucket0A1B2C3D: { Type: "AWS::S3::Bucket" },
  RelayKey0A1B2C3D: { Type: "AWS::KMS::Key" },
  RelayGroup0A1B2C3D: { Type: "AWS::Scheduler::ScheduleGroup" },
  RelayRole0A1B2C3D: { Type: "AWS::IAM::Role" },
  RelayDelivery0A1B2C3D: {
    Type: "AWS::SQS::Queue",
    Properties: {
      VisibilityTimeout: 540,
      RedrivePolicy: { deadLetterTargetArn: getArn("RelayFaults0A1B2C3D"), maxReceiveCount: 10 },
    },
  },
  RelayFaults0A1B2C3D: { Type: "AWS::SQS::Queue", Properties: { MessageRetentionPeriod: 1209600 } },
  RelayFunction0A1B2C3D: {
    Type: "AWS::Lambda::Function",
    Metadata: { "steadyhook:function": "delivery" },
    Properties: {
      Code: { S3Bucket: { "Fn::Sub": substituted("assets-<AWS::AccountId>") }, S3Key: "abc.zip" },
      Handler: "index.handler",
      Role: getArn("RelayRole0A1B2C3D"),
      Timeout: 90,
      MemorySize: 512,
      Environment: {
        Variables: {
          TABLE_NAME: { Ref: "RelayTable0A1B2C3D" },
          BUCKET_NAME: { Ref: "RelayBucket0A1B2C3D" },
          KMS_KEY_ID: getArn("RelayKey0A1B2C3D"),
          DELIVERY_QUEUE_URL: { Ref: "RelayDelivery0A1B2C3D" },
          DELIVERY_QUEUE_ARN: getArn("RelayDelivery0A1B2C3D"),
          SCHEDULE_GROUP: { Ref: "RelayGroup0A1B2C3D" },
          SCHEDULE_ROLE_ARN: getArn("RelayRole0A1B2C3D"),
          NUMBER: 7,
          NONE: { Ref: "AWS::NoValue" },
        },
      },
    },
  },
  Mapping: {
    Type: "AWS::Lambda::EventSourceMapping",
    Properties: {
      FunctionName: { Ref: "RelayFunction0A1B2C3D" },
      EventSourceArn: getArn("RelayDelivery0A1B2C3D"),
      BatchSize: 10,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      ScalingConfig: { MaximumConcurrency: 50 },
    },
  },
  Integration: {
    Type: "AWS::ApiGatewayV2::Integration",
    Properties: { IntegrationUri: getArn("RelayFunction0A1B2C3D") },
  },
  RouteIn: {
    Type: "AWS::ApiGatewayV2::Route",
    Properties: {
      RouteKey: "ANY /in/{sourceId}",
      AuthorizationType: "NONE",
      Target: { "Fn::Join": ["", ["integrations/", { Ref: "Integration" }]] },
    },
  },
  RouteAdmin: {
    Type: "AWS::ApiGatewayV2::Route",
    Properties: {
      RouteKey: "ANY /admin/{proxy+}",
      AuthorizationType: "AWS_IAM",
      Target: { "Fn::Join": ["", ["integrations/", { Ref: "Integration" }]] },
    },
  },
  Rule: {
    Type: "AWS::Events::Rule",
    Properties: {
      ScheduleExpression: "rate(5 minutes)",
      Targets: [{ Id: "t", Arn: getArn("RelayFunction0A1B2C3D"), Input: '{"kind":"sweep"}' }],
    },
  },
  Unused: { Type: "Custom::Thing", Properties: { Value: { "Fn::ImportValue": "elsewhere" } } },
};

const propertiesOf = (id: string) => (resources[id] as TemplateResource).Properties;
const wiringOf = (changes: Record<string, TemplateResource> = {}) =>
  readWiring(new CloudTemplate({ Resources: { ...resources, ...changes } }, endpoints));

describe("the wiring of a stack", () => {
  test("a function has its bundle, limits and resolved environment", () => {
    expect(wiringOf().functions).toEqual([
      {
        arn: "arn:aws:lambda:us-east-1:000000000000:function:RelayFunction",
        name: "RelayFunction",
        label: "delivery",
        assetKey: "abc.zip",
        handler: "index.handler",
        roleArn: "arn:aws:iam::000000000000:role/RelayRole",
        timeoutSeconds: 90,
        memoryMb: 512,
        environment: {
          TABLE_NAME: "RelayTable",
          BUCKET_NAME: "relaybucket",
          KMS_KEY_ID: "arn:aws:kms:us-east-1:000000000000:key/RelayKey",
          DELIVERY_QUEUE_URL: "http://127.0.0.1:4000/000000000000/RelayDelivery",
          DELIVERY_QUEUE_ARN: "arn:aws:sqs:us-east-1:000000000000:RelayDelivery",
          SCHEDULE_GROUP: "RelayGroup",
          SCHEDULE_ROLE_ARN: "arn:aws:iam::000000000000:role/RelayRole",
          NUMBER: "7",
        },
      },
    ]);
  });

  test("a queue has its attributes as CreateQueue takes them", () => {
    expect(wiringOf().queues[0]).toMatchObject({
      name: "RelayDelivery",
      attributes: {
        VisibilityTimeout: "540",
        RedrivePolicy: JSON.stringify({
          deadLetterTargetArn: "arn:aws:sqs:us-east-1:000000000000:RelayFaults",
          maxReceiveCount: 10,
        }),
      },
    });
  });

  test("a mapping joins its queue and function", () => {
    expect(wiringOf().mappings).toEqual([
      {
        functionArn: "arn:aws:lambda:us-east-1:000000000000:function:RelayFunction",
        queueArn: "arn:aws:sqs:us-east-1:000000000000:RelayDelivery",
        batchSize: 10,
        maxConcurrency: 50,
        reportsItemFailures: true,
      },
    ]);
  });

  test("routes lead to their function, signed or not", () => {
    expect(wiringOf().routes).toMatchObject([
      { routeKey: "ANY /in/{sourceId}", iam: false, functionArn: expect.stringContaining("RelayFunction") },
      { routeKey: "ANY /admin/{proxy+}", iam: true },
    ]);
  });

  test("a rule with a rate runs its function by the clock", () => {
    expect(wiringOf().timers).toMatchObject([{ everySeconds: 300, input: '{"kind":"sweep"}' }]);
  });

  test("table, bucket, key and group have their names", () => {
    const { tables, buckets, keys, scheduleGroups } = wiringOf();

    expect(tables).toMatchObject([{ name: "RelayTable", indexes: [{ IndexName: "due" }] }]);
    expect([buckets, keys, scheduleGroups]).toEqual([["relaybucket"], ["RelayKey"], ["RelayGroup"]]);
  });

  test("two resources that differ only in their hash keep it", () => {
    const { keys } = wiringOf({ RelayKeyFFFFFFFF: { Type: "AWS::KMS::Key" } });

    expect(keys).toEqual(["RelayKey0A1B2C3D", "RelayKeyFFFFFFFF"]);
  });

  test("a mapping that is switched off is left out", () => {
    const off = { Type: "AWS::Lambda::EventSourceMapping", Properties: { ...propertiesOf("Mapping"), Enabled: false } };

    expect(wiringOf({ Mapping: off }).mappings).toEqual([]);
  });
});

describe("what the engine does not know", () => {
  const withValue = (value: unknown) =>
    wiringOf({ Queue: { Type: "AWS::SQS::Queue", Properties: { DelaySeconds: value } } });

  test("an intrinsic is an error that names it and its place", () => {
    expect(() => withValue({ "Fn::ImportValue": "x" })).toThrow(
      "template: Resources.Queue.Properties.DelaySeconds: Fn::ImportValue is not known to the local engine",
    );
  });

  test("an unknown attribute and an unknown name are errors", () => {
    expect(() => withValue({ "Fn::GetAtt": ["RelayKey0A1B2C3D", "Nothing"] })).toThrow("RelayKey0A1B2C3D.Nothing");
    expect(() => withValue({ Ref: "Missing" })).toThrow("nothing is called Missing");
  });

  test("a schedule that is no rate is an error", () => {
    const Rule = {
      Type: "AWS::Events::Rule",
      Properties: { ...propertiesOf("Rule"), ScheduleExpression: "cron(0 0 * * ? *)" },
    };

    expect(() => wiringOf({ Rule })).toThrow("cron(0 0 * * ? *) is not a rate");
  });
});

test.each([
  [
    { "Fn::Sub": substituted("<AWS::Region>-<RelayTable0A1B2C3D>-<RelayKey0A1B2C3D.Arn>-<!Keep>") },
    substituted("us-east-1-RelayTable-arn:aws:kms:us-east-1:000000000000:key/RelayKey-<Keep>"),
  ],
  [{ "Fn::Sub": [substituted("<Own>"), { Own: { Ref: "AWS::Partition" } }] }, "aws"],
  [{ "Fn::Select": [1, { "Fn::Split": ["/", "a/b/c"] }] }, "b"],
  [{ "Fn::Join": ["-", ["a", { Ref: "Parameter" }]] }, "a-default"],
])("%j resolves to %s", (value, expected) => {
  const document = {
    Resources: { ...resources, Queue: { Type: "AWS::SQS::Queue", Properties: { DelaySeconds: value } } },
    Parameters: { Parameter: { Default: "default" } },
  };
  const queue = readWiring(new CloudTemplate(document, endpoints)).queues.at(-1);

  expect(queue?.attributes["DelaySeconds"]).toBe(expected);
});
