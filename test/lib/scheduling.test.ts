import { describe, expect, test } from "vitest";
import { flat, list, properties, relayTemplate, resources, statements } from "./relay-template.js";

const template = relayTemplate();
const [groupId] = resources(template, "::ScheduleGroup").map(([id]) => id);
const [roleId] = resources(template, "::IAM::Role", "RelayScheduling").map(([id]) => id);
const [deliveryQueueId] = resources(template, "::SQS::Queue", "RelayQueuesDelivery").map(([id]) => id);
const delivery = statements(template, "RelayDelivery");
const withAction = (action: string) => delivery.filter(({ Action }) => list(Action).includes(action));

describe("scheduled retries", () => {
  test("may be created and deleted by the delivery function, on schedule/<group>/*, not on the group", () => {
    const [statement, ...others] = withAction("scheduler:CreateSchedule");
    expect(others).toEqual([]);
    expect(list(statement?.Action)).toEqual(["scheduler:CreateSchedule", "scheduler:DeleteSchedule"]);
    expect(flat(statement?.Resource)).toBe(
      `arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule/<${groupId}>/*`,
    );
  });

  test("get one role, passed to the scheduler and to nothing else", () => {
    const [statement, ...others] = withAction("iam:PassRole");
    expect(others).toEqual([]);
    expect(flat(statement?.Resource)).toBe(`<${roleId}.Arn>`);
    expect(statement?.Condition).toEqual({ StringEquals: { "iam:PassedToService": "scheduler.amazonaws.com" } });
  });

  test("run under a role that only schedules of this group in this account assume", () => {
    const trust = properties(template, "::IAM::Role", "RelayScheduling").AssumeRolePolicyDocument.Statement;
    expect(trust).toEqual([
      {
        Action: "sts:AssumeRole",
        Effect: "Allow",
        Principal: { Service: "scheduler.amazonaws.com" },
        Condition: {
          StringEquals: { "aws:SourceAccount": { Ref: "AWS::AccountId" } },
          ArnEquals: { "aws:SourceArn": { "Fn::GetAtt": [groupId, "Arn"] } },
        },
      },
    ]);
  });

  test("may send to the delivery queue, and nothing more", () => {
    const allowed = statements(template, "RelayScheduling");
    expect(allowed).toEqual([
      { Effect: "Allow", Action: "sqs:SendMessage", Resource: { "Fn::GetAtt": [deliveryQueueId, "Arn"] } },
    ]);
  });

  test("are told group, role and target by the environment", () => {
    expect(properties(template, "::Lambda::Function", "RelayDelivery").Environment.Variables).toMatchObject({
      SCHEDULE_GROUP: { Ref: groupId },
      SCHEDULE_ROLE_ARN: { "Fn::GetAtt": [roleId, "Arn"] },
      DELIVERY_QUEUE_ARN: { "Fn::GetAtt": [deliveryQueueId, "Arn"] },
    });
  });
});
