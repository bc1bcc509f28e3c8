import {
  BatchEntryIdsNotDistinct,
  BatchRequestTooLong,
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  EmptyBatchRequest,
  InvalidMessageContents,
  type Message,
  ReceiptHandleIsInvalid,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
  type SQSClient,
  TooManyEntriesInBatchRequest,
} from "@aws-sdk/client-sqs";
import { describe, expect, it } from "vitest";
import type { LocalAws } from "../../../local/aws/endpoint.js";
import { type ManualClock, manualClock, sqsClient, startAws } from "./fixture.js";

interface TestQueue {
  readonly aws: LocalAws;
  readonly clock: ManualClock;
  readonly sqs: SQSClient;
  readonly QueueUrl: string;
  send(body: string, more?: Partial<SendMessageCommandInput>): Promise<string>;
  receive(more?: Partial<ReceiveMessageCommandInput>): Promise<Message[]>;
}

async function aQueue(attributes: Record<string, string> = {}): Promise<TestQueue> {
  const clock = manualClock();
  const aws = await startAws({ clock });
  const sqs = sqsClient(aws);
  const created = await sqs.send(new CreateQueueCommand({ QueueName: "orders", Attributes: attributes }));
  const QueueUrl = created.QueueUrl ?? "";
  return {
    aws,
    clock,
    sqs,
    QueueUrl,
    async send(body, more) {
      const sent = await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: body, ...more }));
      return sent.MessageId ?? "";
    },
    async receive(more) {
      const answer = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, ...more }));
      return answer.Messages ?? [];
    },
  };
}

const bodies = (messages: readonly Message[]): (string | undefined)[] => messages.map((message) => message.Body);

describe("sending and receiving", () => {
  it("hands a message over with its system attributes and its message attributes", async () => {
    const { send, receive, clock } = await aQueue();
    const MessageId = await send("hello", {
      MessageGroupId: "sub_1",
      MessageAttributes: {
        text: { DataType: "String", StringValue: "grüße" },
        number: { DataType: "Number.int", StringValue: "42" },
        bytes: { DataType: "Binary", BinaryValue: Buffer.from([0, 255, 1]) },
      },
      MessageSystemAttributes: { AWSTraceHeader: { DataType: "String", StringValue: "Root=1-2-3" } },
    });
    clock.advance(1500);

    const [message] = await receive({ MessageSystemAttributeNames: ["All"], MessageAttributeNames: ["All"] });

    expect(message).toMatchObject({ MessageId, Body: "hello" });
    expect(message?.Attributes).toEqual({
      SenderId: "000000000000",
      SentTimestamp: String(clock.now() - 1500),
      ApproximateReceiveCount: "1",
      ApproximateFirstReceiveTimestamp: String(clock.now()),
      MessageGroupId: "sub_1",
      AWSTraceHeader: "Root=1-2-3",
    });
    expect(message?.MessageAttributes?.["text"]?.StringValue).toBe("grüße");
    expect([...(message?.MessageAttributes?.["bytes"]?.BinaryValue ?? [])]).toEqual([0, 255, 1]);
  });

  it("computes the documented digest of message attributes", async () => {
    const { sqs, QueueUrl } = await aQueue();
    const sent = await sqs.send(
      new SendMessageCommand({
        QueueUrl,
        MessageBody: "x",
        MessageAttributes: { timestamp: { DataType: "Number", StringValue: "1493147359900" } },
      }),
    );
    // The value that AWS answers for this very attribute.
    expect(sent.MD5OfMessageAttributes).toBe("235c5c510d26fb653d073faed50ae77c");
  });

  it("returns only what was asked for", async () => {
    const { send, receive } = await aQueue();
    const attribute = { DataType: "String", StringValue: "v" };
    await send("hello", { MessageAttributes: { "a.one": attribute, "a.two": attribute, b: attribute } });

    const [message] = await receive({
      MessageSystemAttributeNames: ["ApproximateReceiveCount"],
      MessageAttributeNames: ["a.*"],
    });

    expect(message?.Attributes).toEqual({ ApproximateReceiveCount: "1" });
    expect(new Set(Object.keys(message?.MessageAttributes ?? {}))).toEqual(new Set(["a.one", "a.two"]));
  });

  it("also knows the older name of the list of system attributes", async () => {
    const { send, receive } = await aQueue();
    await send("hello");
    const [message] = await receive({ AttributeNames: ["All"] });
    expect(message?.Attributes?.["ApproximateReceiveCount"]).toBe("1");
  });

  it("lets message groups take turns, in order within each", async () => {
    const { send, receive } = await aQueue();
    for (const body of ["a1", "a2", "a3"]) await send(body, { MessageGroupId: "a" });
    for (const body of ["b1", "b2"]) await send(body, { MessageGroupId: "b" });

    expect(bodies(await receive())).toEqual(["a1", "b1", "a2", "b2", "a3"]);
  });

  it.each([
    ["a delay of 901 seconds", { DelaySeconds: 901 }, "InvalidParameterValue"],
    ["a negative delay", { DelaySeconds: -1 }, "InvalidParameterValue"],
    ["an empty body", { MessageBody: "" }, "MissingParameter"],
    ["a body of 1 MiB and one byte", { MessageBody: "x".repeat(1_048_577) }, "InvalidParameterValue"],
    ["a group id with a space", { MessageGroupId: "a b" }, "InvalidParameterValue"],
    ["a deduplication id", { MessageDeduplicationId: "a" }, "InvalidParameterValue"],
    ["an attribute without a value", { MessageAttributes: { a: { DataType: "String" } } }, "InvalidParameterValue"],
  ])("refuses %s", async (_, input, error) => {
    const { send, aws } = await aQueue();
    await expect(send("x", input)).rejects.toMatchObject({ name: error });
    expect(aws.sqs.queue("orders").counts()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  it("takes a body of exactly 1 MiB, and counts bytes, not characters, attributes included", async () => {
    const { send } = await aQueue();
    await send("x".repeat(1_048_576));
    await expect(send("€".repeat(349_526))).rejects.toMatchObject({ name: "InvalidParameterValue" });
    const MessageAttributes = { a: { DataType: "String", StringValue: "v" } };
    await expect(send("x".repeat(1_048_570), { MessageAttributes })).rejects.toMatchObject({
      name: "InvalidParameterValue",
    });
  });

  it.each(["\u0007", "\u000b", "\u001f", "\uffff", "\ufffe", "\ud800"])(
    "refuses the character %j",
    async (character) => {
      const { send } = await aQueue();
      await expect(send(`a${character}b`)).rejects.toBeInstanceOf(InvalidMessageContents);
    },
  );

  it("takes tabs, line ends, emoji and everything else that XML allows", async () => {
    const { send, receive } = await aQueue();
    await send("a\t\r\n\u{1f60a}\ud7ff\ue000\ufffd");
    expect(bodies(await receive())).toEqual(["a\t\r\n\u{1f60a}\ud7ff\ue000\ufffd"]);
  });
});

describe("time", () => {
  it("keeps a message back for its delay, and for the queue's when it has none", async () => {
    const { send, receive, clock } = await aQueue({ DelaySeconds: "10" });
    await send("own", { DelaySeconds: 900 });
    await send("none", { DelaySeconds: 0 });
    await send("queue's");

    expect(bodies(await receive())).toEqual(["none"]);
    clock.advance(9_999);
    expect(await receive()).toEqual([]);
    clock.advance(1);
    expect(bodies(await receive())).toEqual(["queue's"]);
    clock.advance(890_000);
    expect(bodies(await receive({ VisibilityTimeout: 0 }))).toContain("own");
  });

  it("wakes a long poll at once when a message comes", async () => {
    const { send, receive, clock } = await aQueue();
    const waiting = clock.nextTimer();
    const received = receive({ WaitTimeSeconds: 20 });
    await waiting;
    await send("hello");
    expect(bodies(await received)).toEqual(["hello"]);
  });

  it("wakes a long poll when a delay ends, and when a visibility timeout ends", async () => {
    const { send, receive, clock } = await aQueue();
    await send("late", { DelaySeconds: 5 });
    const waiting = clock.nextTimer();
    const first = receive({ WaitTimeSeconds: 20, VisibilityTimeout: 8 });
    await waiting;
    clock.advance(5_000);
    expect(bodies(await first)).toEqual(["late"]);

    const waitingAgain = clock.nextTimer();
    const second = receive({ WaitTimeSeconds: 20 });
    await waitingAgain;
    clock.advance(8_000);
    expect(bodies(await second)).toEqual(["late"]);
  });

  it("ends a long poll with nothing after its time, the queue's own included", async () => {
    const { receive, clock } = await aQueue({ ReceiveMessageWaitTimeSeconds: "3" });
    const waiting = clock.nextTimer();
    const received = receive();
    await waiting;
    clock.advance(3_000);
    expect(await received).toEqual([]);
  });

  it("gives nothing to a long poll whose caller has gone", async () => {
    const { send, receive, clock, sqs, QueueUrl } = await aQueue();
    const gone = new AbortController();
    const waiting = clock.nextTimer();
    const command = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 });
    const abandoned = sqs.send(command, { abortSignal: gone.signal });
    await waiting;
    gone.abort();
    await expect(abandoned).rejects.toThrow();
    const waitingAgain = clock.nextTimer();
    const received = receive({ WaitTimeSeconds: 20 });
    await waitingAgain;
    await send("hello");
    expect(bodies(await received)).toEqual(["hello"]);
  });

  it("hides what was received until its visibility timeout ends, then counts the next receive", async () => {
    const { send, receive, clock } = await aQueue({ VisibilityTimeout: "30" });
    await send("hello");
    await receive();
    clock.advance(29_999);
    expect(await receive()).toEqual([]);
    clock.advance(1);
    const [again] = await receive({ MessageSystemAttributeNames: ["ApproximateReceiveCount"] });
    expect(again?.Attributes).toEqual({ ApproximateReceiveCount: "2" });
  });

  it("drops messages after the retention period, in flight or not", async () => {
    const { send, receive, clock, aws } = await aQueue({ MessageRetentionPeriod: "60", VisibilityTimeout: "600" });
    await send("seen");
    await receive();
    await send("unseen");
    clock.advance(60_000);
    expect(await receive()).toEqual([]);
    expect(aws.sqs.queue("orders").counts()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  it.each([
    ["WaitTimeSeconds", 21],
    ["MaxNumberOfMessages", 11],
    ["MaxNumberOfMessages", 0],
    ["VisibilityTimeout", 43_201],
  ])("refuses a receive with %s = %i", async (name, value) => {
    const { receive } = await aQueue();
    await expect(receive({ [name]: value })).rejects.toMatchObject({ name: "InvalidParameterValue" });
  });
});

describe("receipt handles", () => {
  it("deletes a message for good", async () => {
    const { send, receive, clock, sqs, QueueUrl } = await aQueue();
    await send("hello");
    const [message] = await receive();
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle }));
    clock.advance(60_000);
    expect(await receive()).toEqual([]);
  });

  it("deletes with a handle whose time is over, as long as nobody received the message again", async () => {
    const { send, receive, clock, sqs, QueueUrl } = await aQueue();
    await send("hello");
    const [message] = await receive();
    clock.advance(60_000);
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle }));
    expect(await receive()).toEqual([]);
  });

  it("ignores a delete with the handle of an earlier receive", async () => {
    const { send, receive, clock, sqs, QueueUrl } = await aQueue();
    await send("hello");
    const [first] = await receive();
    clock.advance(30_000);
    await receive();
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: first?.ReceiptHandle }));
    clock.advance(30_000);
    expect(bodies(await receive())).toEqual(["hello"]);
  });

  it("refuses what was never a handle of this queue", async () => {
    const { sqs, QueueUrl } = await aQueue();
    const deleting = sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: "nonsense" }));
    await expect(deleting).rejects.toBeInstanceOf(ReceiptHandleIsInvalid);
  });

  it("makes a message visible at once with a visibility of 0, and waiting polls get it", async () => {
    const { send, receive, clock, sqs, QueueUrl } = await aQueue();
    await send("hello");
    const [message] = await receive();
    const waiting = clock.nextTimer();
    const again = receive({ WaitTimeSeconds: 20 });
    await waiting;
    await sqs.send(
      new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle, VisibilityTimeout: 0 }),
    );
    expect(bodies(await again)).toEqual(["hello"]);
  });

  it("extends a visibility timeout from now", async () => {
    const { send, receive, clock, sqs, QueueUrl } = await aQueue();
    await send("hello");
    const [message] = await receive();
    clock.advance(20_000);
    await sqs.send(
      new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle, VisibilityTimeout: 300 }),
    );
    clock.advance(299_999);
    expect(await receive()).toEqual([]);
    clock.advance(1);
    expect(bodies(await receive())).toEqual(["hello"]);
  });

  it("changes nothing with a handle whose time is over, and refuses one whose message is gone", async () => {
    const { send, receive, clock, sqs, QueueUrl } = await aQueue();
    await send("hello");
    const [message] = await receive();
    const ReceiptHandle = message?.ReceiptHandle;
    const change = new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 300 });
    clock.advance(30_000);
    await sqs.send(change);
    expect(bodies(await receive())).toEqual(["hello"]);

    clock.advance(30_000);
    const [latest] = await receive();
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: latest?.ReceiptHandle }));
    await expect(sqs.send(change)).rejects.toThrow("Message does not exist");
  });
});

describe("batches", () => {
  it("sends what is good and names what is not", async () => {
    const { sqs, QueueUrl, receive } = await aQueue();
    const answer = await sqs.send(
      new SendMessageBatchCommand({
        QueueUrl,
        Entries: [
          { Id: "good", MessageBody: "one", MessageGroupId: "g" },
          { Id: "late", MessageBody: "two", DelaySeconds: 901 },
          { Id: "bell", MessageBody: "\u0007" },
          { Id: "fine", MessageBody: "three" },
        ],
      }),
    );
    expect(answer.Successful?.map((entry) => entry.Id)).toEqual(["good", "fine"]);
    expect(answer.Failed).toMatchObject([
      { Id: "late", SenderFault: true, Code: "InvalidParameterValue" },
      { Id: "bell", SenderFault: true, Code: "InvalidMessageContents" },
    ]);
    expect(new Set(bodies(await receive()))).toEqual(new Set(["one", "three"]));
  });

  it("refuses an empty batch, more than ten entries, equal ids, and more than 1 MiB together", async () => {
    const { sqs, QueueUrl, aws } = await aQueue();
    const send = (Entries: { Id: string; MessageBody: string }[]) =>
      sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    const entries = (count: number, body: string, id = (index: number) => `id-${index}`) =>
      Array.from({ length: count }, (_, index) => ({ Id: id(index), MessageBody: body }));

    await expect(send([])).rejects.toBeInstanceOf(EmptyBatchRequest);
    await expect(send(entries(11, "x"))).rejects.toBeInstanceOf(TooManyEntriesInBatchRequest);
    await expect(send(entries(2, "x", () => "same"))).rejects.toBeInstanceOf(BatchEntryIdsNotDistinct);
    await expect(send(entries(2, "x".repeat(524_289)))).rejects.toBeInstanceOf(BatchRequestTooLong);
    expect(aws.sqs.queue("orders").counts().visible).toBe(0);
    expect((await send(entries(2, "x".repeat(524_288)))).Successful).toHaveLength(2);
  });

  it("changes and deletes in batches, with failures by entry", async () => {
    const { sqs, QueueUrl, send, receive } = await aQueue();
    await send("one");
    await send("two");
    const [first, second] = await receive();

    const changed = await sqs.send(
      new ChangeMessageVisibilityBatchCommand({
        QueueUrl,
        Entries: [
          { Id: "a", ReceiptHandle: first?.ReceiptHandle, VisibilityTimeout: 0 },
          { Id: "b", ReceiptHandle: second?.ReceiptHandle, VisibilityTimeout: 43_201 },
        ],
      }),
    );
    expect(changed.Successful).toEqual([{ Id: "a" }]);
    expect(changed.Failed).toMatchObject([{ Id: "b", Code: "InvalidParameterValue" }]);

    const [again] = await receive();
    const deleted = await sqs.send(
      new DeleteMessageBatchCommand({
        QueueUrl,
        Entries: [
          { Id: "a", ReceiptHandle: again?.ReceiptHandle },
          { Id: "b", ReceiptHandle: "nonsense" },
        ],
      }),
    );
    expect(deleted.Successful).toEqual([{ Id: "a" }]);
    expect(deleted.Failed).toMatchObject([{ Id: "b", Code: "ReceiptHandleIsInvalid" }]);
  });
});
