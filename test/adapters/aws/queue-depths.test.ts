import { SQSClient } from "@aws-sdk/client-sqs";
import { afterEach, expect, test } from "vitest";
import { SqsQueueDepths } from "../../../functions/adapters/aws/queue-depths.js";
import { type AwsStub, startAwsStub } from "../../support/aws-stub.js";

let stub: AwsStub;
afterEach(() => stub.close());

const names = ["delivery", "slowLane", "control", "deadLetter", "fault"] as const;
const urls = Object.fromEntries(names.map((name) => [name, `http://sqs.example/111122223333/${name}`])) as Record<
  (typeof names)[number],
  string
>;

test("each queue is asked for its own three numbers", async () => {
  stub = await startAwsStub(({ json }) => ({
    body: {
      Attributes: {
        ApproximateNumberOfMessages: String(names.findIndex((name) => json.QueueUrl === urls[name])),
        ApproximateNumberOfMessagesDelayed: "7",
        ApproximateNumberOfMessagesNotVisible: "9",
      },
    },
  }));
  const client = new SQSClient({ ...stub.clientConfig, useQueueUrlAsEndpoint: false });
  const depths = await new SqsQueueDepths(() => client, urls).depths();
  expect(depths).toEqual(
    Object.fromEntries(names.map((name, visible) => [name, { visible, delayed: 7, inFlight: 9 }])),
  );
  expect(stub.calls.map(({ operation }) => operation)).toEqual(names.map(() => "GetQueueAttributes"));
});
