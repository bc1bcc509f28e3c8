import { createHash } from "node:crypto";
import {
  CancelMessageMoveTaskCommand,
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  InvalidMessageContents,
  ListMessageMoveTasksCommand,
  type Message,
  type MessageAttributeValue,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
  StartMessageMoveTaskCommand,
} from "@aws-sdk/client-sqs";
import { describe, expect, it, vi } from "vitest";
import { manualClock, sqsClient, startAws } from "../../local/aws/fixture.js";

/** What the local SQS has in common with AWS's where queues, receives and moves work together. */

/** For what comes by itself, on a busy machine. */
const patienceMs = 10_000;

const arnOf = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}`;

/** Two queues: `orders`, whose messages go to `dead` after `maxReceiveCount` receives. */
async function queues(maxReceiveCount = 3) {
  const clock = manualClock();
  const aws = await startAws({ clock });
  const sqs = sqsClient(aws);
  const create = async (QueueName: string, Attributes = {}) =>
    (await sqs.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl ?? "";
  const dead = await create("dead");
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arnOf("dead"), maxReceiveCount });
  const orders = await create("orders", { RedrivePolicy });
  return {
    aws,
    clock,
    sqs,
    orders,
    dead,
    send: (MessageBody: string, more: Partial<SendMessageCommandInput> = {}) =>
      sqs.send(new SendMessageCommand({ QueueUrl: orders, MessageBody, ...more })),
    async receive(more: Partial<ReceiveMessageCommandInput> = {}): Promise<Message[]> {
      const everything = { MessageSystemAttributeNames: ["All" as const], MessageAttributeNames: ["All"] };
      const asked = { QueueUrl: orders, MaxNumberOfMessages: 10, ...everything, ...more };
      return (await sqs.send(new ReceiveMessageCommand(asked))).Messages ?? [];
    },
    show: (message: Message | undefined) =>
      sqs.send(
        new ChangeMessageVisibilityCommand({
          QueueUrl: orders,
          ReceiptHandle: message?.ReceiptHandle,
          VisibilityTimeout: 0,
        }),
      ),
  };
}

const bodies = (messages: readonly Message[]) => messages.map((message) => message.Body);

describe("a batch", () => {
  it("delays each entry by its own delay, and keeps its group and attributes", async () => {
    const { sqs, orders, receive, clock } = await queues();
    const MessageAttributes = { kind: { DataType: "String", StringValue: "k" } };
    const answer = await sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: orders,
        Entries: [
          { Id: "a", MessageBody: "now", MessageGroupId: "sub_1", MessageAttributes },
          { Id: "b", MessageBody: "soon", MessageGroupId: "sub_2", DelaySeconds: 1 },
          { Id: "c", MessageBody: "late", DelaySeconds: 900 },
        ],
      }),
    );
    const [now] = await receive();
    expect(now).toMatchObject({ Body: "now", MessageAttributes, Attributes: { MessageGroupId: "sub_1" } });
    expect(answer.Successful?.[0]).toMatchObject({
      MessageId: now?.MessageId,
      MD5OfMessageBody: createHash("md5").update("now").digest("hex"),
      MD5OfMessageAttributes: digestOf(MessageAttributes),
    });
    clock.advance(1_000);
    expect((await receive()).map(({ Body, Attributes }) => [Body, Attributes?.MessageGroupId])).toEqual([
      ["soon", "sub_2"],
    ]);
    clock.advance(898_999);
    expect(bodies(await receive({ VisibilityTimeout: 0 }))).not.toContain("late");
    clock.advance(1);
    expect(bodies(await receive())).toContain("late");
  });

  it("gives one message each to polls that wait", async () => {
    const { sqs, orders, receive, clock } = await queues();
    const polls: Promise<Message[]>[] = [];
    for (let count = 0; count < 3; count += 1) {
      const waiting = clock.nextTimer();
      polls.push(receive({ WaitTimeSeconds: 20, MaxNumberOfMessages: 1 }));
      await waiting;
    }
    const Entries = ["a", "b", "c"].map((Id) => ({ Id, MessageBody: Id }));
    await sqs.send(new SendMessageBatchCommand({ QueueUrl: orders, Entries }));
    expect(new Set(bodies((await Promise.all(polls)).flat()))).toEqual(new Set(["a", "b", "c"]));
  });

  it("of visibility changes to 0 wakes polls that wait", async () => {
    const { sqs, orders, send, receive, clock } = await queues();
    await send("one");
    await send("two");
    const received = await receive();
    const waiting = clock.nextTimer();
    const poll = receive({ WaitTimeSeconds: 20 });
    await waiting;
    const Entries = received.map(({ ReceiptHandle }, index) => ({
      Id: `id-${index}`,
      ReceiptHandle,
      VisibilityTimeout: 0,
    }));
    await sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: orders, Entries }));
    expect(await poll).not.toEqual([]);
  });
});

describe("a receive", () => {
  it("counts on, and remembers the first, when the message was made visible by hand", async () => {
    const { send, receive, show, clock } = await queues(10);
    await send("x", { MessageGroupId: "sub_1" });
    const [first] = await receive();
    clock.advance(5_000);
    await show(first);
    const [second] = await receive();
    expect(second?.MessageId).toBe(first?.MessageId);
    expect(second?.ReceiptHandle).not.toBe(first?.ReceiptHandle);
    expect(second?.Attributes).toEqual({ ...first?.Attributes, ApproximateReceiveCount: "2" });
  });

  it("exhausts a message that is made visible by hand again and again, group and attributes kept", async () => {
    const { send, receive, show, dead } = await queues(2);
    const MessageAttributes = { bytes: { DataType: "Binary", BinaryValue: new Uint8Array([0, 255]) } };
    await send("x", { MessageGroupId: "sub_1", MessageAttributes });
    for (const count of ["1", "2"]) {
      const [message] = await receive();
      expect(message?.Attributes?.ApproximateReceiveCount).toBe(count);
      await show(message);
    }
    expect(await receive()).toEqual([]);
    const [letter] = await vi.waitFor(async () => {
      const letters = await receive({ QueueUrl: dead });
      expect(letters).toHaveLength(1);
      return letters;
    }, patienceMs);
    expect(letter).toMatchObject({ Body: "x", MessageAttributes, Attributes: { MessageGroupId: "sub_1" } });
  });

  it("has the digests that the documentation describes, for every type of attribute", async () => {
    const { send, receive } = await queues();
    const MessageAttributes: Record<string, MessageAttributeValue> = {
      zeta: { DataType: "String", StringValue: "grüße 😀" },
      Alpha: { DataType: "Number.float", StringValue: "-1.5e3" },
      "b.in": { DataType: "Binary.png", BinaryValue: new Uint8Array([0, 128, 255, 10]) },
    };
    const sent = await send("grüße", { MessageAttributes });
    const [received] = await receive();
    const md5 = createHash("md5").update("grüße").digest("hex");
    expect(sent).toMatchObject({ MD5OfMessageBody: md5, MD5OfMessageAttributes: digestOf(MessageAttributes) });
    expect(received).toMatchObject({ MD5OfBody: md5, MD5OfMessageAttributes: digestOf(MessageAttributes) });
  });
});

describe("characters that XML does not allow", () => {
  it.each(["\u0000", "\u0008", "\u001b", "\udc00"])(
    "are refused in an attribute's value too: %j",
    async (character) => {
      const { send, aws } = await queues();
      const attribute = { DataType: "String", StringValue: `a${character}b` };
      const sending = send("fine", { MessageAttributes: { attribute } });
      await expect(sending).rejects.toBeInstanceOf(InvalidMessageContents);
      expect(aws.sqs.queue("orders").counts().visible).toBe(0);
    },
  );
});

describe("a move of dead letters", () => {
  /** Five messages in `dead` that came from `orders`. */
  async function fiveDeadLetters() {
    const setup = await queues(1);
    for (const body of ["1", "2", "3", "4", "5"]) await setup.send(body);
    for (const message of await setup.receive()) await setup.show(message);
    expect(await setup.receive()).toEqual([]);
    await vi.waitFor(() => expect(setup.aws.sqs.queue("dead").counts().visible).toBe(5), patienceMs);
    return setup;
  }
  const tasks = async ({ sqs }: Awaited<ReturnType<typeof fiveDeadLetters>>) =>
    (await sqs.send(new ListMessageMoveTasksCommand({ SourceArn: arnOf("dead"), MaxResults: 10 }))).Results ?? [];

  it("wakes polls that wait for what comes back, which counts its receives from one", async () => {
    const { sqs, receive, clock } = await fiveDeadLetters();
    const waiting = clock.nextTimer();
    const poll = receive({ WaitTimeSeconds: 20 });
    await waiting;
    await sqs.send(new StartMessageMoveTaskCommand({ SourceArn: arnOf("dead") }));
    const [back] = await poll;
    expect(back?.Attributes?.ApproximateReceiveCount).toBe("1");
  });

  it("runs alone for its source, and leaves the rest where it is when it is cancelled", async () => {
    const setup = await fiveDeadLetters();
    const { sqs, aws, clock } = setup;
    const start = () =>
      sqs.send(new StartMessageMoveTaskCommand({ SourceArn: arnOf("dead"), MaxNumberOfMessagesPerSecond: 2 }));
    const paused = clock.nextTimer();
    const { TaskHandle } = await start();
    await paused;
    await expect(start()).rejects.toMatchObject({ name: "UnsupportedOperation" });
    await vi.waitFor(() => expect(aws.sqs.queue("orders").counts().visible).toBe(2), patienceMs);
    const cancelled = await sqs.send(new CancelMessageMoveTaskCommand({ TaskHandle }));
    expect(cancelled.ApproximateNumberOfMessagesMoved).toBe(2);
    await vi.waitFor(async () => {
      clock.advance(1_000);
      expect(await tasks(setup)).toMatchObject([{ Status: "CANCELLED", ApproximateNumberOfMessagesMoved: 2 }]);
    }, patienceMs);
    expect(aws.sqs.queue("dead").counts().visible).toBe(3);
    await expect(sqs.send(new CancelMessageMoveTaskCommand({ TaskHandle }))).rejects.toThrow();
    await start();
  });

  it("moves nothing that somebody is working on", async () => {
    const setup = await fiveDeadLetters();
    const [taken] = await setup.receive({ QueueUrl: setup.dead, MaxNumberOfMessages: 1 });
    await setup.sqs.send(new StartMessageMoveTaskCommand({ SourceArn: arnOf("dead") }));
    await vi.waitFor(async () => expect(await tasks(setup)).toMatchObject([{ Status: "COMPLETED" }]), patienceMs);
    expect(setup.aws.sqs.queue("orders").counts().visible).toBe(4);
    const handle = { QueueUrl: setup.dead, ReceiptHandle: taken?.ReceiptHandle };
    await setup.sqs.send(new DeleteMessageCommand(handle));
    expect(setup.aws.sqs.queue("dead").counts()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });
});

/** The digest of attributes as the developer guide describes it: by name, each part with its length before it. */
function digestOf(attributes: Readonly<Record<string, MessageAttributeValue>>): string {
  const hash = createHash("md5");
  const part = (bytes: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  };
  for (const name of Object.keys(attributes).sort((a, b) => (a < b ? -1 : 1))) {
    const { DataType = "", StringValue, BinaryValue } = attributes[name] as MessageAttributeValue;
    part(Buffer.from(name));
    part(Buffer.from(DataType));
    hash.update(Buffer.from([BinaryValue === undefined ? 1 : 2]));
    part(Buffer.from(BinaryValue ?? StringValue ?? ""));
  }
  return hash.digest("hex");
}
