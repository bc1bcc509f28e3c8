import { createHash } from "node:crypto";
import { SQSClient } from "@aws-sdk/client-sqs";
import { afterEach, describe, expect, it } from "vitest";
import { SqsQueues } from "../../../functions/adapters/aws/queues.js";
import { decodeMessage } from "../../../functions/app/messages.js";
import type { DeliveryMessage, EventMessage } from "../../../functions/app/ports.js";
import { type AwsAnswer, type AwsCall, type AwsStub, startAwsStub } from "../../support/aws-stub.js";

const deliveryUrl = "http://sqs.example/111122223333/delivery";
const slowUrl = "http://sqs.example/111122223333/slow";
const deadLetterUrl = "http://sqs.example/111122223333/dead";

let stub: AwsStub;
afterEach(() => stub.close());

async function queuesAnswering(answer: (call: AwsCall, earlier: number) => AwsAnswer = accepting): Promise<SqsQueues> {
  stub = await startAwsStub(answer);
  const client = new SQSClient({ ...stub.clientConfig, useQueueUrlAsEndpoint: false });
  return new SqsQueues(client, { delivery: deliveryUrl, slow: slowUrl, deadLetter: deadLetterUrl });
}

const md5 = (text: string) => createHash("md5").update(text).digest("hex");

interface BatchEntry {
  readonly Id: string;
  readonly MessageBody: string;
}

/** As SQS answers when it takes everything, but for the entries whose ids are named. */
function accepting(call: AwsCall, _earlier = 0, refusedIds: readonly string[] = []): AwsAnswer {
  if (call.operation === "SendMessage") {
    return { body: { MessageId: "m", MD5OfMessageBody: md5(call.json.MessageBody) } };
  }
  if (call.operation !== "SendMessageBatch") return {};
  const entries: readonly BatchEntry[] = call.json.Entries;
  return {
    body: {
      Successful: entries
        .filter(({ Id }) => !refusedIds.includes(Id))
        .map(({ Id, MessageBody }) => ({ Id, MessageId: `m${Id}`, MD5OfMessageBody: md5(MessageBody) })),
      Failed: entries
        .filter(({ Id }) => refusedIds.includes(Id))
        .map(({ Id }) => ({ Id, Code: "InternalError", SenderFault: false })),
    },
  };
}

const eventMessage: EventMessage = {
  v: 1,
  kind: "event",
  event: {
    eventId: "evt_1",
    sourceId: "src_1",
    method: "POST",
    suffix: "",
    query: "",
    type: null,
    receivedAtMs: 1_000,
    bodySha256: "0".repeat(64),
    bodyBytes: 0,
    verifiedBy: null,
    dedupeKey: null,
  },
  content: { at: "inline", packed: Buffer.from("content") },
};

const deliveryMessage = (number: number): DeliveryMessage => ({
  v: 1,
  kind: "delivery",
  deliveryId: `dlv_${number}`,
  eventId: "evt_1",
  sourceId: "src_1",
  subscriptionId: `sub_${number % 2}`,
  attempt: 1,
  dueAtMs: 5_000,
});

describe("the queues over SQS", () => {
  it("send an event as one message in its source's group", async () => {
    const queues = await queuesAnswering();
    await queues.sendEvent(eventMessage);
    expect(stub.calls).toHaveLength(1);
    expect(stub.calls[0]).toMatchObject({
      operation: "SendMessage",
      json: { QueueUrl: deliveryUrl, MessageGroupId: "src_1" },
    });
    expect(decodeMessage(stub.calls[0]?.json.MessageBody)).toEqual(eventMessage);
  });

  it("reject an event that SQS does not take", async () => {
    const queues = await queuesAnswering(() => ({ status: 500, body: { __type: "InternalError" } }));
    await expect(queues.sendEvent(eventMessage)).rejects.toThrow();
  });

  it("send deliveries in batches of ten, each in its subscription's group, with the delay", async () => {
    const queues = await queuesAnswering();
    const messages = Array.from({ length: 23 }, (_, number) => deliveryMessage(number));
    await queues.sendDeliveries(messages, 900);
    const batches = stub.calls.map((call) => call.json.Entries);
    expect(batches.map((entries) => entries.length).sort((a, b) => a - b)).toEqual([3, 10, 10]);
    const entries = batches.flat();
    expect(entries.map((entry) => decodeMessage(entry.MessageBody))).toEqual(expect.arrayContaining(messages));
    expect(entries.every((entry) => entry.DelaySeconds === 900)).toBe(true);
    expect(new Set(entries.map((entry) => entry.MessageGroupId))).toEqual(new Set(["sub_0", "sub_1"]));
  });

  it("send nothing for no deliveries", async () => {
    const queues = await queuesAnswering();
    await queues.sendDeliveries([], 0);
    expect(stub.calls).toEqual([]);
  });

  it.each([-1, 0.5, 901, Number.NaN])("refuse a delay of %s seconds before any call", async (delaySeconds) => {
    const queues = await queuesAnswering();
    await expect(queues.sendDeliveries([deliveryMessage(1)], delaySeconds)).rejects.toThrow(RangeError);
    expect(stub.calls).toEqual([]);
  });

  it("send the refused entries of a batch once more, and only those", async () => {
    const queues = await queuesAnswering((call, earlier) => accepting(call, earlier, earlier === 0 ? ["1"] : []));
    await queues.sendDeliveries([deliveryMessage(0), deliveryMessage(1), deliveryMessage(2)], 0);
    expect(stub.calls.map((call) => call.json.Entries.map((entry: BatchEntry) => entry.Id))).toEqual([
      ["0", "1", "2"],
      ["1"],
    ]);
  });

  it("reject with the codes when entries are refused twice, after every other batch was sent", async () => {
    const queues = await queuesAnswering((call, earlier) =>
      accepting(call, earlier, call.json.Entries.length === 10 || call.json.Entries.length === 1 ? ["7"] : []),
    );
    const messages = Array.from({ length: 14 }, (_, number) => deliveryMessage(number));
    await expect(queues.sendDeliveries(messages, 0)).rejects.toThrow("SQS refused 1 of 10 messages: InternalError");
    expect(stub.calls.map((call) => call.json.Entries.length).sort((a, b) => a - b)).toEqual([1, 4, 10]);
  });

  it.each([
    [0, 0],
    [12.2, 13],
    [-3, 0],
    [50_000, 43_200],
  ])("hand a message back after %s seconds as a visibility of %s", async (seconds, visibility) => {
    const queues = await queuesAnswering();
    await queues.returnAfter("receipt", seconds);
    expect(stub.calls[0]).toMatchObject({
      operation: "ChangeMessageVisibility",
      json: { QueueUrl: deliveryUrl, ReceiptHandle: "receipt", VisibilityTimeout: visibility },
    });
  });

  it("send by the slow lane, also what was refused, and hand back to it", async () => {
    const queues = await queuesAnswering((call, earlier) => accepting(call, earlier, earlier === 0 ? ["1"] : []));
    await queues.sendDeliveries([deliveryMessage(0), deliveryMessage(1)], 0, "slow");
    await queues.returnAfter("receipt", 3, "slow");
    expect(stub.calls.map(({ operation }) => operation)).toEqual([
      "SendMessageBatch",
      "SendMessageBatch",
      "ChangeMessageVisibility",
    ]);
    expect(stub.calls.every((call) => call.json.QueueUrl === slowUrl)).toBe(true);
  });

  it("send a dead letter to its own queue", async () => {
    const queues = await queuesAnswering();
    const deadLetter = {
      v: 1,
      kind: "dead_letter",
      deliveryId: "dlv_1",
      eventId: "evt_1",
      sourceId: "src_1",
      subscriptionId: "sub_1",
      reason: "exhausted",
      attempts: 5,
      lastOutcome: { statusCode: 503, error: null },
      deadLetteredAt: "2026-01-01T00:00:00.000Z",
    } as const;
    await queues.sendDeadLetter(deadLetter);
    expect(stub.calls[0]).toMatchObject({ operation: "SendMessage", json: { QueueUrl: deadLetterUrl } });
    expect(JSON.parse(stub.calls[0]?.json.MessageBody)).toEqual(deadLetter);
  });
});
