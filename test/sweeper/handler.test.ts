import type { Context } from "aws-lambda";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { env } from "../../functions/shared/env.js";
import { handler } from "../../functions/sweeper/handler.js";
import { type AwsStub, startAwsStub } from "../support/aws-stub.js";

/** The function as deployed, with the SDK's real clients; the table is empty, or out of reach. */
let aws: AwsStub;
let tableIsGone = false;
const written: string[] = [];

beforeAll(async () => {
  vi.spyOn(process.stdout, "write").mockImplementation((line) => {
    written.push(String(line));
    return true;
  });
  aws = await startAwsStub(({ operation }) => {
    if (tableIsGone) return { status: 400, body: { __type: "ResourceNotFoundException", message: "gone" } };
    return { body: operation === "Query" ? { Items: [], Count: 0, ScannedCount: 0 } : {} };
  });
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
    [env.controlQueueArn]: "arn:aws:sqs:us-east-1:111122223333:control",
    [env.faultQueueArn]: "arn:aws:sqs:us-east-1:111122223333:fault",
    ...Object.fromEntries(
      [env.deliveryQueueUrl, env.slowQueueUrl, env.controlQueueUrl].map((name) => [name, `${aws.endpoint}/1/${name}`]),
    ),
  });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await aws.close();
});

const context = { getRemainingTimeInMillis: () => 60_000 } as unknown as Context;
const metrics = () => written.map((line) => JSON.parse(line)).filter((line) => "_aws" in line);

it("a sweep that ended shows that there was one; a sweep that failed does not", async () => {
  await handler({ source: "aws.events" }, context);
  expect(metrics()).toEqual([expect.objectContaining({ OldestOverdueSeconds: 0, OldestParkedSeconds: 0 })]);
  written.length = 0;
  tableIsGone = true;
  await expect(handler({ source: "aws.events" }, context)).rejects.toThrow();
  expect(metrics()).toEqual([]);
});
