import { createHash } from "node:crypto";
import { marshall } from "@aws-sdk/util-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { sourceItem } from "../../functions/adapters/aws/config-items.js";
import { handler } from "../../functions/ingress/handler.js";
import { env } from "../../functions/shared/env.js";
import { type AwsAnswer, type AwsCall, type AwsStub, startAwsStub } from "../support/aws-stub.js";
import { httpApiEvent } from "../support/http-api-event.js";

/** The function as deployed, with the SDK's real clients; the endpoint counts what they call. */
let aws: AwsStub;
let queueIsGone = false;

const source = {
  sourceId: "src",
  description: null,
  verification: null,
  handshake: null,
  answer: "event-id" as const,
  dedupe: null,
  eventType: null,
  secrets: [],
  version: 1,
  managedBy: null,
  createdAtMs: 0,
  updatedAtMs: 0,
};

function answer({ operation, json }: AwsCall): AwsAnswer {
  if (operation === "GetItem") {
    const item = marshall(sourceItem(source, null), { removeUndefinedValues: true });
    return { body: json.Key.pk.S === item["pk"]?.S ? { Item: item } : {} };
  }
  if (queueIsGone) return { status: 400, body: { __type: "com.amazonaws.sqs#QueueDoesNotExist", message: "gone" } };
  const md5 = createHash("md5").update(json.MessageBody).digest("hex");
  return { body: { MessageId: "m", MD5OfMessageBody: md5 } };
}

beforeAll(async () => {
  aws = await startAwsStub(answer);
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: aws.endpoint,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    [env.tableName]: "relay",
    [env.bucketName]: "bodies",
    [env.keyId]: "key",
    [env.deliveryQueueUrl]: `${aws.endpoint}/111122223333/delivery`,
    [env.logLevel]: "error",
  });
});
afterAll(() => aws.close());
beforeEach(() => {
  queueIsGone = false;
  aws.calls.length = 0;
  written.length = 0;
  vi.spyOn(process.stdout, "write").mockImplementation((line) => {
    written.push(String(line));
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

const written: string[] = [];

const operations = () => aws.calls.map(({ operation }) => operation);

describe("the ingress function", () => {
  it("makes exactly one AWS call for an event once it knows the source", async () => {
    expect((await handler(httpApiEvent({ body: "first" }))).statusCode).toBe(202);
    expect(operations()).toEqual(["GetItem", "SendMessage"]);
    aws.calls.length = 0;
    expect((await handler(httpApiEvent({ body: "second" }))).statusCode).toBe(202);
    expect(operations()).toEqual(["SendMessage"]);
    expect(aws.calls[0]?.json).toMatchObject({ MessageGroupId: "src", QueueUrl: process.env[env.deliveryQueueUrl] });
  });

  it("writes what it counted as one line a request, and no number of an event that it could not keep", async () => {
    const counted = () => written.map((line) => JSON.parse(line)).filter((line) => "_aws" in line);
    await handler(httpApiEvent({}));
    await handler(httpApiEvent({ path: "/in/other" }));
    queueIsGone = true;
    await handler(httpApiEvent({}));
    expect(counted()).toEqual([
      expect.objectContaining({ Relay: "Steadyhook", Accepted: 1 }),
      expect.objectContaining({ Relay: "Steadyhook", Refused: 1 }),
    ]);
  });

  it("has read consistently before it says that there is no such source", async () => {
    expect((await handler(httpApiEvent({ path: "/in/other" }))).statusCode).toBe(404);
    expect(aws.calls.at(-1)).toMatchObject({ operation: "GetItem", json: { ConsistentRead: true } });
  });

  it("answers 503 when SQS does not take the event, and logs why", async () => {
    queueIsGone = true;
    const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    expect((await handler(httpApiEvent({ body: "lost" }))).statusCode).toBe(503);
    const lines = write.mock.calls.map(([line]) => JSON.parse(String(line)));
    write.mockRestore();
    expect(lines).toMatchObject([{ level: "error", sourceId: "src", error: { name: "QueueDoesNotExist" } }]);
  });
});
