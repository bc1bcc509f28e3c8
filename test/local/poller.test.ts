import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SendMessageBatchCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type LocalAws, startLocalAws } from "../../local/aws/endpoint.js";
import type { InvocationResult } from "../../local/function-worker.js";
import { Poller, type PollerOptions } from "../../local/poller.js";

interface SeenRecord {
  readonly messageId: string;
  readonly body: string;
  readonly attributes: Record<string, string>;
}

let aws: LocalAws;
let sqs: SQSClient;
let queueUrl: string;
let number = 0;
let poller: Poller | null;
let batches: SeenRecord[][];
let problems: string[];

beforeAll(async () => {
  aws = await startLocalAws({ dataDir: mkdtempSync(join(tmpdir(), "steadyhook-poller-")) });
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  sqs = new SQSClient({ endpoint: aws.url, region: aws.region, credentials });
});
beforeEach(async () => {
  number += 1;
  await aws.sqs.createQueue(`queue-${number}`, { VisibilityTimeout: "1" });
  queueUrl = `${aws.url}/${aws.accountId}/queue-${number}`;
  [batches, problems] = [[], []];
});
afterEach(() => poller?.stop());
afterAll(async () => {
  sqs.destroy();
  await aws.close();
});

type Answer = (records: SeenRecord[]) => unknown;

/** A poller whose function keeps what it got and answers this. */
function poll(answer: Answer, options: Partial<PollerOptions> = {}): void {
  poller = new Poller({
    sqs: aws.sqs,
    queueName: `queue-${number}`,
    queueArn: `arn:aws:sqs:us-east-1:000000000000:queue-${number}`,
    batchSize: 10,
    maxConcurrency: 2,
    reportsItemFailures: true,
    activeMs: () => 0,
    onProblem: (text) => problems.push(text),
    invoke: async (event): Promise<InvocationResult> => {
      const records = (event as { Records: SeenRecord[] }).Records;
      batches.push(records);
      const payload = await answer(records);
      if (payload instanceof Error) return { ok: false, errorType: "Error", errorMessage: payload.message };
      return { ok: true, payload: JSON.stringify(payload ?? null) };
    },
    ...options,
  });
  poller.start();
}

const send = (body: string) => sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body }));
const sendMany = (bodies: readonly string[]) =>
  sqs.send(
    new SendMessageBatchCommand({
      QueueUrl: queueUrl,
      Entries: bodies.map((MessageBody, index) => ({ Id: String(index), MessageBody })),
    }),
  );
const bodies = () => batches.flat().map(({ body }) => body);
const depth = () => aws.sqs.queue(`queue-${number}`).counts();

describe("a batch", () => {
  test("reaches the function as SQS records", async () => {
    poll(() => null);
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: "hello",
        MessageGroupId: "src_1",
        MessageAttributes: { kind: { DataType: "String", StringValue: "event" } },
      }),
    );
    await expect.poll(bodies).toEqual(["hello"]);

    expect(batches[0]?.[0]).toEqual({
      messageId: expect.any(String),
      receiptHandle: expect.any(String),
      body: "hello",
      attributes: expect.objectContaining({
        ApproximateReceiveCount: "1",
        SentTimestamp: expect.stringMatching(/^\d{13}$/),
        MessageGroupId: "src_1",
      }),
      messageAttributes: {
        kind: { stringValue: "event", stringListValues: [], binaryListValues: [], dataType: "String" },
      },
      md5OfBody: "5d41402abc4b2a76b9719d911017c592",
      eventSource: "aws:sqs",
      eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:queue-${number}`,
      awsRegion: "us-east-1",
    });
  });

  test("holds up to the batch size", async () => {
    await sendMany(["1", "2", "3", "4", "5"]);
    poll(() => null, { batchSize: 3 });
    await expect.poll(() => bodies().length).toBe(5);

    expect(batches.map((batch) => batch.length)).toEqual([3, 2]);
  });

  test("is split before the invocation would exceed Lambda's limit", async () => {
    for (let index = 0; index < 7; index += 1) await send("x".repeat(1_000_000));
    poll(() => null);
    await expect.poll(() => bodies().length).toBe(7);

    expect(batches.map((batch) => batch.length)).toEqual([5, 2]);
  });

  test("that succeeded is deleted", async () => {
    poll(() => ({ batchItemFailures: [] }));
    await sendMany(["1", "2"]);
    await expect.poll(() => bodies().length).toBe(2);

    await expect.poll(depth).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });
});

describe("what fails", () => {
  test("comes back after its visibility timeout, the rest is done", async () => {
    poll((records) => ({
      batchItemFailures: records
        .filter(({ body, attributes }) => body === "bad" && attributes["ApproximateReceiveCount"] === "1")
        .map(({ messageId }) => ({ itemIdentifier: messageId })),
    }));
    await sendMany(["good", "bad"]);
    await expect.poll(bodies, { timeout: 5_000 }).toEqual(["good", "bad", "bad"]);

    await expect.poll(depth).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
    expect(problems).toEqual([]);
  });

  test.each([
    ["an exception", () => new Error("no")],
    ["an unknown identifier", () => ({ batchItemFailures: [{ itemIdentifier: "other" }] })],
  ])("%s keeps the whole batch on the queue", async (_name, fail: () => unknown) => {
    let calls = 0;
    // Sent first: a poller that already waits would take the first message alone.
    await sendMany(["1", "2"]);
    poll(() => {
      calls += 1;
      return calls === 1 ? fail() : null;
    });
    await expect.poll(() => bodies().length, { timeout: 5_000 }).toBe(4);

    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^a batch of 2 failed as a whole: /);
  });
});

describe("several batches", () => {
  test("are in work at the same time, up to the limit", async () => {
    const release: Array<() => void> = [];
    let running = 0;
    let most = 0;
    poll(
      () =>
        new Promise((resolve) => {
          running += 1;
          most = Math.max(most, running);
          release.push(() => {
            running -= 1;
            resolve(null);
          });
        }),
      { batchSize: 1, maxConcurrency: 3 },
    );
    await sendMany(["1", "2", "3", "4", "5", "6"]);
    await expect.poll(() => running).toBe(3);
    while (bodies().length < 6 || running > 0) {
      release.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }

    expect(most).toBe(3);
  });

  test("hold a message group in a quarter of them at most: the others are for the rest", async () => {
    let letGo = (): void => {};
    const hanging = new Promise<void>((resolve) => (letGo = resolve));
    const answer = (records: SeenRecord[]) => (records.some(({ body }) => body === "hangs") ? hanging : null);
    poll(answer, { maxConcurrency: 8, batchSize: 1 });
    const ofGroup = (MessageGroupId: string, MessageBody: string) =>
      sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody, MessageGroupId }));
    for (let sent = 0; sent < 9; sent++) await ofGroup("burst", "hangs");
    await ofGroup("other", "passes");
    await expect.poll(bodies).toContain("passes");
    expect(bodies().filter((body) => body === "hangs")).toHaveLength(2);
    letGo();
    await expect.poll(() => bodies().length).toBe(10);
  });

  test("one that hangs does not keep the others waiting", async () => {
    let free = (): void => {};
    poll(
      (records) =>
        records[0]?.body === "hang"
          ? new Promise((resolve) => {
              free = () => resolve(null);
            })
          : null,
      { batchSize: 1 },
    );
    await send("hang");
    await sendMany(["1", "2", "3"]);
    await expect.poll(() => bodies().length).toBe(4);
    free();
  });
});

describe("a poller that stops", () => {
  test("waits for the batch in work and deletes it", async () => {
    let finish = (): void => {};
    poll(
      () =>
        new Promise((resolve) => {
          finish = () => resolve(null);
        }),
    );
    await send("last");
    await expect.poll(() => bodies().length).toBe(1);
    const stopped = poller?.stop();
    finish();
    await stopped;

    expect(depth()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  test("leaves what comes later on the queue", async () => {
    poll(() => null);
    await poller?.stop();
    await send("later");

    expect(depth().visible).toBe(1);
    expect(batches).toEqual([]);
  });
});

test("a queue that fails for a while is polled again", async () => {
  await aws.sqs.deleteQueue(`queue-${number}`);
  poll(() => null);
  await expect.poll(() => problems.length).toBeGreaterThan(0);
  await aws.sqs.createQueue(`queue-${number}`);
  await send("after");

  await expect.poll(bodies, { timeout: 5_000 }).toEqual(["after"]);
});
