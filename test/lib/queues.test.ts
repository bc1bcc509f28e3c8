import { Duration } from "aws-cdk-lib";
import { describe, expect, test } from "vitest";
import { properties, relayTemplate, resources } from "./relay-template.js";

const template = relayTemplate();
const queue = (name: string, from = template) => properties(from, "::SQS::Queue", `RelayQueues${name}`);
const workQueues = ["Delivery", "SlowLane", "Control"];

describe("the queues", () => {
  test("are five", () => {
    expect(resources(template, "::SQS::Queue")).toHaveLength(5);
  });

  test.each(workQueues)("%s: what cannot be processed goes to the fault queue after 10 receives", (name) => {
    const [faultId] = resources(template, "::SQS::Queue", "RelayQueuesFault").map(([id]) => id);
    expect(queue(name).RedrivePolicy).toEqual({
      deadLetterTargetArn: { "Fn::GetAtt": [faultId, "Arn"] },
      maxReceiveCount: 10,
    });
  });

  test.each(workQueues)(
    "%s: the fault queue keeps its messages longer, since a moved message keeps its age",
    (name) => {
      const days = 86_400;
      expect(queue("Fault").MessageRetentionPeriod - queue(name).MessageRetentionPeriod).toBeGreaterThanOrEqual(
        7 * days,
      );
    },
  );

  test("faults and dead letters are two queues, and neither moves its messages on", () => {
    expect(queue("Fault").RedrivePolicy).toBeUndefined();
    expect(queue("DeadLetter").RedrivePolicy).toBeUndefined();
  });

  test("dead letters stay as long as SQS allows, 14 days", () => {
    expect(queue("DeadLetter").MessageRetentionPeriod).toBe(14 * 86_400);
  });

  test("every queue is encrypted, and refuses requests without TLS", () => {
    for (const [id, { Properties }] of resources(template, "::SQS::Queue")) {
      expect(Properties["SqsManagedSseEnabled"]).toBe(true);
      template.hasResourceProperties("AWS::SQS::QueuePolicy", {
        Queues: [{ Ref: id }],
        PolicyDocument: {
          Statement: [{ Effect: "Deny", Action: "sqs:*", Condition: { Bool: { "aws:SecureTransport": "false" } } }],
        },
      });
    }
  });

  test.each([20, 90, 900])(
    "messages stay hidden for at least 6 timeouts of the delivery function (%i s)",
    (seconds) => {
      const short = { connectTimeout: Duration.seconds(2), readTimeout: Duration.seconds(5) };
      const of = relayTemplate({ deliveryTimeout: Duration.seconds(seconds), defaults: short });
      const timeout = properties(of, "::Lambda::Function", "RelayDelivery").Timeout;
      expect(timeout).toBe(seconds);
      expect(queue("Delivery", of).VisibilityTimeout).toBeGreaterThanOrEqual(6 * timeout);
      expect(queue("SlowLane", of).VisibilityTimeout).toBeGreaterThanOrEqual(6 * timeout);
    },
  );

  test("what the sweeper consumes stays hidden for at least 6 of its timeouts, however short a delivery is", () => {
    const short = { connectTimeout: Duration.seconds(2), readTimeout: Duration.seconds(5) };
    const of = relayTemplate({ deliveryTimeout: Duration.seconds(20), defaults: short });
    const timeout = properties(of, "::Lambda::Function", "RelaySweeper").Timeout;
    expect(queue("Control", of).VisibilityTimeout).toBeGreaterThanOrEqual(6 * timeout);
    expect(queue("Fault", of).VisibilityTimeout).toBeGreaterThanOrEqual(6 * timeout);
  });
});
