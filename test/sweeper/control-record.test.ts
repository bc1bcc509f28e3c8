import type { SQSRecord } from "aws-lambda";
import { describe, expect, it } from "vitest";
import { controlRecord } from "../../functions/sweeper/control-record.js";

const arn = (name: string) => `arn:aws:sqs:eu-central-1:111122223333:${name}`;

function sqsRecord(queue: string, overrides: Partial<SQSRecord> = {}): SQSRecord {
  return {
    messageId: "m-1",
    receiptHandle: "r",
    body: "{}",
    attributes: {} as SQSRecord["attributes"],
    messageAttributes: {},
    md5OfBody: "",
    eventSource: "aws:sqs",
    eventSourceARN: arn(queue),
    awsRegion: "eu-central-1",
    ...overrides,
  };
}

const read = (record: SQSRecord) => controlRecord(record, arn("fault"), arn("control"));
const text = (stringValue: string) => ({ stringValue, dataType: "String" as const });

describe("a record of the sweeper's queues", () => {
  it("is a tick when it comes from the control queue", () => {
    const attributes = { ApproximateReceiveCount: "3" } as SQSRecord["attributes"];
    const record = { from: "control", messageId: "m-1", body: "{}", receiptHandle: "r" };
    expect(read(sqsRecord("control"))).toEqual({ ...record, receiveCount: 1 });
    expect(read(sqsRecord("control", { attributes }))).toEqual({ ...record, receiveCount: 3 });
  });

  it("is a fault with its cause when our own code sent it", () => {
    const messageAttributes = { queue: text("delivery"), messageId: text("m-0"), cause: text("Error: no table") };
    expect(read(sqsRecord("fault", { messageAttributes }))).toEqual({
      from: "fault",
      messageId: "m-1",
      fault: { queue: "delivery", messageId: "m-0", cause: "Error: no table", body: "{}" },
    });
  });

  it.each([
    ["delivery", "delivery"],
    ["slow-lane", "delivery"],
    ["control", "control"],
  ])("is a fault without a cause when SQS moved it from the %s queue", (source, queue) => {
    const attributes = { DeadLetterQueueSourceArn: arn(source) } as SQSRecord["attributes"];
    expect(read(sqsRecord("fault", { attributes }))).toMatchObject({ fault: { queue, messageId: "m-1", cause: null } });
  });
});
