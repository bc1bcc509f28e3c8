import { Duration } from "aws-cdk-lib";
import { SecurityGroup, SubnetType } from "aws-cdk-lib/aws-ec2";
import { Architecture } from "aws-cdk-lib/aws-lambda";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import { describe, expect, test } from "vitest";
import { aVpc, properties, relayTemplate, resources, sorted } from "./relay-template.js";

const template = relayTemplate();
const names = ["Ingress", "Delivery", "Admin"];
const fn = (name: string, from = template) => properties(from, "::Lambda::Function", `Relay${name}`);
const mapping = (lane: string, from = template) =>
  properties(
    from,
    "::EventSourceMapping",
    resources(from, "::EventSourceMapping").find(([id]) => id.includes(`Queues${lane}`))?.[0],
  );

describe.each(names)("the %s function", (name) => {
  test("runs on nodejs24.x and arm64", () => {
    expect(fn(name)).toMatchObject({ Runtime: "nodejs24.x", Architectures: ["arm64"], Handler: "index.handler" });
  });

  test("has a log group of its own, which ends", () => {
    const [logId] = resources(template, "::LogGroup", `Relay${name}`).map(([id]) => id);
    expect(fn(name).LoggingConfig).toEqual({ LogGroup: { Ref: logId } });
    expect(properties(template, "::LogGroup", `Relay${name}`).RetentionInDays).toBe(30);
  });

  test("has no reserved concurrency: throttled messages would reach the fault queue unattempted", () => {
    expect(fn(name).ReservedConcurrentExecutions).toBeUndefined();
  });

  test("names itself for the local relay", () => {
    template.hasResource("AWS::Lambda::Function", { Metadata: { "steadyhook:function": name.toLowerCase() } });
  });
});

describe("environments hold what the function needs, and no more", () => {
  const variables = (name: string) => sorted(Object.keys(fn(name).Environment.Variables));
  const common = ["BUCKET_NAME", "DELIVERY_QUEUE_URL", "KMS_KEY_ID", "RELAY_NAME", "TABLE_NAME"];

  test("ingress", () => {
    expect(variables("Ingress")).toEqual(common);
  });

  test("delivery", () => {
    expect(variables("Delivery")).toEqual(
      sorted([
        ...common,
        "CONTROL_QUEUE_URL",
        "DEAD_LETTER_QUEUE_URL",
        "DELIVERY_QUEUE_ARN",
        "FAULT_QUEUE_URL",
        "RETENTION_DAYS",
        "SCHEDULE_GROUP",
        "SCHEDULE_ROLE_ARN",
        "SLOW_QUEUE_URL",
        "SYSTEM_DEFAULTS",
        "UV_THREADPOOL_SIZE",
      ]),
    );
  });

  test("sweeper", () => {
    expect(variables("Sweeper")).toEqual(
      sorted([
        ...["BUCKET_NAME", "CONTROL_QUEUE_ARN", "CONTROL_QUEUE_URL", "DELIVERY_QUEUE_ARN", "DELIVERY_QUEUE_URL"],
        ...["FAULT_QUEUE_ARN", "RETENTION_DAYS", "SCHEDULE_GROUP", "SCHEDULE_ROLE_ARN", "SLOW_QUEUE_URL", "TABLE_NAME"],
        ...["RELAY_NAME", "SYSTEM_DEFAULTS"],
      ]),
    );
  });

  test("admin", () => {
    expect(variables("Admin")).toEqual(
      sorted([
        ...[...common, "CONTROL_QUEUE_URL", "DEAD_LETTER_QUEUE_URL", "FAULT_QUEUE_URL", "SLOW_QUEUE_URL"],
        ...["DELIVERY_TIMEOUT_SECONDS", "RETENTION_DAYS", "SYSTEM_DEFAULTS"],
      ]),
    );
  });
});

describe("the delivery function", () => {
  test("may send to the queue that triggers it: Lambda would stop such a loop after about 16 hops", () => {
    expect(fn("Delivery").RecursiveLoop).toBe("Allow");
    expect(fn("Ingress").RecursiveLoop).toBe("Terminate");
  });

  test("takes batches of 10 from the delivery queue and the slow lane, and from nowhere else", () => {
    expect(resources(template, "::EventSourceMapping", "RelayDelivery")).toHaveLength(2);
    expect(mapping("Delivery").BatchSize).toBe(10);
    expect(mapping("SlowLane").BatchSize).toBe(10);
  });

  test.each(["Delivery", "SlowLane"])("reports each message of a batch by itself (%s)", (lane) => {
    expect(mapping(lane).FunctionResponseTypes).toEqual(["ReportBatchItemFailures"]);
  });

  test.each(["Delivery", "SlowLane"])("has no filter, which would delete what it does not match (%s)", (lane) => {
    expect(mapping(lane).FilterCriteria).toBeUndefined();
  });

  test.each([
    [undefined, 50, 10],
    [1000, 1000, 200],
    [4, 4, 2],
  ])("maxConcurrency %s limits each mapping on its own", (maxConcurrency, delivery, slow) => {
    const of = relayTemplate(maxConcurrency === undefined ? {} : { maxConcurrency });
    expect(mapping("Delivery", of).ScalingConfig).toEqual({ MaximumConcurrency: delivery });
    expect(mapping("SlowLane", of).ScalingConfig).toEqual({ MaximumConcurrency: slow });
  });

  test("ticks of many subscriptions overlap, each by itself", () => {
    const control = { BatchSize: 1, ScalingConfig: { MaximumConcurrency: 10 } };
    expect(mapping("Control")).toMatchObject(control);
  });

  test("answers behind the gateway end before the gateway's 30 s", () => {
    expect(fn("Ingress").Timeout).toBeLessThan(30);
    expect(fn("Admin").Timeout).toBeLessThan(30);
  });
});

describe("the sweeper function", () => {
  test("takes ticks and faults one by one, and may send the next tick to its own queue", () => {
    const mappings = resources(template, "::EventSourceMapping", "RelaySweeper");
    expect(mappings).toHaveLength(2);
    for (const [, { Properties }] of mappings) {
      expect(Properties).toMatchObject({ BatchSize: 1, FunctionResponseTypes: ["ReportBatchItemFailures"] });
    }
    expect(fn("Sweeper").RecursiveLoop).toBe("Allow");
  });

  test("is started every five minutes", () => {
    expect(properties(template, "::Events::Rule").ScheduleExpression).toBe("rate(5 minutes)");
  });
});

describe("props that reach the functions", () => {
  test("the system-wide defaults, in seconds", () => {
    const of = relayTemplate({
      defaults: {
        policyPreset: "notification-rules",
        maxAttempts: 12,
        connectTimeout: Duration.seconds(3),
        readTimeout: Duration.seconds(20),
      },
    });
    const expected = { policyPreset: "notification-rules", maxAttempts: 12, connectSeconds: 3, readSeconds: 20 };
    for (const name of ["Delivery", "Admin"]) {
      expect(JSON.parse(fn(name, of).Environment.Variables.SYSTEM_DEFAULTS)).toEqual(expected);
    }
  });

  test("without any, the seconds of CTIMEOUT and RTIMEOUT, and the maximum of the preset", () => {
    expect(JSON.parse(fn("Delivery").Environment.Variables.SYSTEM_DEFAULTS)).toEqual({
      policyPreset: "default",
      connectSeconds: 15,
      readSeconds: 60,
    });
  });

  test("retention and maxQueueDelay", () => {
    const of = relayTemplate({ retention: Duration.days(60), maxQueueDelay: Duration.seconds(5) });
    expect(fn("Delivery", of).Environment.Variables).toMatchObject({
      RETENTION_DAYS: "60",
      MAX_QUEUE_DELAY_SECONDS: "5",
    });
  });

  test("architecture and logRetention", () => {
    const of = relayTemplate({ architecture: Architecture.X86_64, logRetention: RetentionDays.ONE_WEEK });
    expect(names.map((name) => fn(name, of).Architectures)).toEqual([["x86_64"], ["x86_64"], ["x86_64"]]);
    const retentions = resources(of, "::LogGroup").map(([, { Properties }]) => Properties["RetentionInDays"]);
    expect(retentions).toEqual([7, 7, 7, 7, 7]);
  });

  test("vpc, vpcSubnets and securityGroups", () => {
    const of = relayTemplate((stack) => {
      const vpc = aVpc(stack);
      const group = new SecurityGroup(stack, "Group", { vpc });
      return { vpc, vpcSubnets: { subnetType: SubnetType.PRIVATE_WITH_EGRESS }, securityGroups: [group] };
    });
    for (const name of names) {
      const { SubnetIds, SecurityGroupIds } = fn(name, of).VpcConfig;
      expect(SubnetIds).toHaveLength(2);
      expect(SecurityGroupIds).toEqual([{ "Fn::GetAtt": [expect.stringMatching(/^Group/), "GroupId"] }]);
    }
    expect(fn("Delivery").VpcConfig).toBeUndefined();
  });
});
