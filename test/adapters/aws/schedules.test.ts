import { SchedulerClient } from "@aws-sdk/client-scheduler";
import { afterEach, describe, expect, it } from "vitest";
import { SchedulerSchedules } from "../../../functions/adapters/aws/schedules.js";
import { decodeMessage } from "../../../functions/app/messages.js";
import type { DeliveryMessage } from "../../../functions/app/ports.js";
import { type AwsAnswer, type AwsStub, startAwsStub } from "../../support/aws-stub.js";

let stub: AwsStub;
afterEach(() => stub.close());

async function schedulesAnswering(answer: AwsAnswer): Promise<SchedulerSchedules> {
  stub = await startAwsStub(() => answer);
  return new SchedulerSchedules(async () => new SchedulerClient(stub.clientConfig), {
    groupName: "retries",
    queueArn: "arn:aws:sqs:us-east-1:111122223333:delivery",
    roleArn: "arn:aws:iam::111122223333:role/schedules",
  });
}

const message: DeliveryMessage = {
  v: 1,
  kind: "delivery",
  deliveryId: "dlv_1",
  eventId: "evt_1",
  sourceId: "src_1",
  subscriptionId: "sub_1",
  attempt: 8,
  dueAtMs: Date.UTC(2026, 1, 3, 4, 5, 6, 1),
};

const refusal = (type: string): AwsAnswer => ({
  status: 400,
  headers: { "x-amzn-errortype": type, "content-type": "application/json" },
  body: { Message: "no" },
});

describe("the schedules over EventBridge Scheduler", () => {
  it("create a one-time schedule that sends the message to the queue and deletes itself", async () => {
    const schedules = await schedulesAnswering({ body: { ScheduleArn: "arn:aws:scheduler:::schedule/retries/x" } });
    await schedules.scheduleDelivery("dlv_1-8-42", message, message.dueAtMs);
    expect(stub.calls[0]).toMatchObject({
      method: "POST",
      path: "/schedules/dlv_1-8-42",
      json: {
        GroupName: "retries",
        ScheduleExpressionTimezone: "UTC",
        FlexibleTimeWindow: { Mode: "OFF" },
        ActionAfterCompletion: "DELETE",
        Target: {
          Arn: "arn:aws:sqs:us-east-1:111122223333:delivery",
          RoleArn: "arn:aws:iam::111122223333:role/schedules",
        },
      },
    });
    expect(decodeMessage(stub.calls[0]?.json.Target.Input)).toEqual(message);
  });

  it.each([
    [Date.UTC(2026, 1, 3, 4, 5, 6), "at(2026-02-03T04:05:06)"],
    [Date.UTC(2026, 1, 3, 4, 5, 6) + 1, "at(2026-02-03T04:05:07)"],
    [Date.UTC(2026, 11, 31, 23, 59, 59) + 999.5, "at(2027-01-01T00:00:00)"],
  ])("round %s up to a whole second: %s", async (atMs, expression) => {
    const schedules = await schedulesAnswering({ body: { ScheduleArn: "arn" } });
    await schedules.scheduleDelivery("name", message, atMs);
    expect(stub.calls[0]?.json.ScheduleExpression).toBe(expression);
  });

  it("take a name that exists as scheduled", async () => {
    const schedules = await schedulesAnswering({ ...refusal("ConflictException"), status: 409 });
    await expect(schedules.scheduleDelivery("name", message, message.dueAtMs)).resolves.toBeUndefined();
  });

  it.each(["ValidationException", "ResourceNotFoundException", "ServiceQuotaExceededException"])(
    "reject when the service answers %s",
    async (type) => {
      const schedules = await schedulesAnswering(refusal(type));
      await expect(schedules.scheduleDelivery("name", message, message.dueAtMs)).rejects.toMatchObject({ name: type });
    },
  );
});
