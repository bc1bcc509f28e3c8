import { createHash } from "node:crypto";
import type { Context, SQSEvent } from "aws-lambda";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { handler } from "../../functions/delivery/handler.js";
import { env } from "../../functions/shared/env.js";
import { type AwsStub, startAwsStub } from "../support/aws-stub.js";

/** The function as deployed, with the SDK's real clients; what the endpoint refuses fails on our side. */
let aws: AwsStub;
let faultsAreKept = true;

beforeAll(async () => {
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  aws = await startAwsStub(({ operation, json }) =>
    operation === "SendMessage" && faultsAreKept
      ? { body: { MessageId: "m", MD5OfMessageBody: createHash("md5").update(json.MessageBody).digest("hex") } }
      : { status: 400, body: { __type: "AccessDeniedException", message: `${operation} ${Object.keys(json)}` } },
  );
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: aws.endpoint,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    [env.tableName]: "relay",
    [env.bucketName]: "bodies",
    [env.keyId]: "key",
    [env.scheduleGroup]: "relay",
    [env.scheduleRoleArn]: "arn:aws:iam::111122223333:role/relay",
    [env.deliveryQueueArn]: "arn:aws:sqs:us-east-1:111122223333:delivery",
    ...Object.fromEntries(
      [env.deliveryQueueUrl, env.slowQueueUrl, env.controlQueueUrl, env.deadLetterQueueUrl, env.faultQueueUrl].map(
        (name) => [name, `${aws.endpoint}/111122223333/${name}`],
      ),
    ),
  });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await aws.close();
});
beforeEach(() => {
  faultsAreKept = true;
});

const readable = JSON.stringify({
  v: 1,
  kind: "delivery",
  deliveryId: "dlv_a",
  eventId: "evt_a",
  sourceId: "src",
  subscriptionId: "sub_a",
  attempt: 2,
  dueAtMs: 0,
});

function answerTo(...bodies: readonly string[]) {
  const Records = bodies.map((body, index) => ({
    messageId: `message-${index}`,
    receiptHandle: `receipt-${index}`,
    body,
    attributes: { ApproximateReceiveCount: "1", ApproximateFirstReceiveTimestamp: "1" },
    eventSourceARN: process.env[env.deliveryQueueArn],
  }));
  const context = { getRemainingTimeInMillis: () => 90_000 } as unknown as Context;
  return handler({ Records } as unknown as SQSEvent, context);
}

describe("the delivery function's answer", () => {
  it("is exactly an empty list of failures when there is nothing to do", async () => {
    expect(await answerTo()).toStrictEqual({ batchItemFailures: [] });
  });

  it("is exactly an empty list of failures when a message became a fault", async () => {
    expect(await answerTo("good morning")).toStrictEqual({ batchItemFailures: [] });
  });

  it("names each message that failed on our side, and no other", async () => {
    const answer = await answerTo("good morning", readable, '{"v":9}');
    expect(answer).toStrictEqual({ batchItemFailures: [{ itemIdentifier: "message-1" }] });
  });

  it("names an unreadable message, too, while the fault queue does not take it", async () => {
    faultsAreKept = false;
    const answer = await answerTo("good morning", readable);
    expect(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)).toEqual(["message-0", "message-1"]);
  });
});
