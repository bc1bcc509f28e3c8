import {
  CreateQueueCommand,
  ListMessageMoveTasksCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  type SQSClient,
  StartMessageMoveTaskCommand,
} from "@aws-sdk/client-sqs";
import { describe, expect, it, vi } from "vitest";
import type { LocalAws } from "../../../local/aws/endpoint.js";
import { type ManualClock, manualClock, sqsClient, startAws } from "./fixture.js";

const arnOf = (name: string): string => `arn:aws:sqs:us-east-1:000000000000:${name}`;

interface Pair {
  readonly aws: LocalAws;
  readonly clock: ManualClock;
  readonly sqs: SQSClient;
  readonly orders: string;
  readonly dead: string;
  receive(queueUrl: string): Promise<Message[]>;
  /** Receives as often as the policy allows and once more, which moves the message. */
  exhaust(times: number): Promise<void>;
}

async function aQueueWithDeadLetters(maxReceiveCount: number): Promise<Pair> {
  const clock = manualClock();
  const aws = await startAws({ clock });
  const sqs = sqsClient(aws);
  const { QueueUrl: dead = "" } = await sqs.send(
    new CreateQueueCommand({ QueueName: "dead", Attributes: { MessageRetentionPeriod: "120" } }),
  );
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arnOf("dead"), maxReceiveCount });
  const { QueueUrl: orders = "" } = await sqs.send(
    new CreateQueueCommand({ QueueName: "orders", Attributes: { RedrivePolicy } }),
  );
  const receive = async (QueueUrl: string): Promise<Message[]> => {
    const command = new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: 10,
      MessageSystemAttributeNames: ["All"],
      MessageAttributeNames: ["All"],
    });
    return (await sqs.send(command)).Messages ?? [];
  };
  return {
    aws,
    clock,
    sqs,
    orders,
    dead,
    receive,
    async exhaust(times) {
      for (let receives = 0; receives < times; receives += 1) {
        expect(await receive(orders)).not.toEqual([]);
        clock.advance(30_000);
      }
      expect(await receive(orders)).toEqual([]);
      await vi.waitFor(() => expect(aws.sqs.queue("dead").counts().visible).toBeGreaterThan(0));
    },
  };
}

describe("dead-letter queues of the local SQS", () => {
  it("moves a message that was received too often, with its id, content and time of sending", async () => {
    const { sqs, orders, dead, receive, exhaust, clock } = await aQueueWithDeadLetters(2);
    const sentAt = String(clock.now());
    const { MessageId } = await sqs.send(
      new SendMessageCommand({
        QueueUrl: orders,
        MessageBody: "poison",
        MessageGroupId: "sub_1",
        MessageAttributes: { a: { DataType: "String", StringValue: "v" } },
      }),
    );
    await exhaust(2);

    const [message] = await receive(dead);
    expect(message).toMatchObject({ MessageId, Body: "poison" });
    expect(message?.MessageAttributes?.["a"]?.StringValue).toBe("v");
    expect(message?.Attributes).toMatchObject({
      SentTimestamp: sentAt,
      MessageGroupId: "sub_1",
      DeadLetterQueueSourceArn: arnOf("orders"),
    });
  });

  it("lets a dead letter expire by the time at which it was first sent", async () => {
    const { sqs, orders, dead, receive, exhaust, clock } = await aQueueWithDeadLetters(2);
    await sqs.send(new SendMessageCommand({ QueueUrl: orders, MessageBody: "poison" }));
    await exhaust(2);
    clock.advance(60_000);
    expect(await receive(dead)).toEqual([]);
  });

  it("goes on handing a message out when its dead-letter queue is gone", async () => {
    const { sqs, orders, receive, clock, aws } = await aQueueWithDeadLetters(1);
    await sqs.send(new SendMessageCommand({ QueueUrl: orders, MessageBody: "poison" }));
    await aws.sqs.deleteQueue("dead");
    await receive(orders);
    clock.advance(30_000);
    expect(await receive(orders)).toHaveLength(1);
  });

  it("applies a policy that is set later to messages that are there", async () => {
    const { sqs, orders, receive, clock, aws } = await aQueueWithDeadLetters(1000);
    await sqs.send(new SendMessageCommand({ QueueUrl: orders, MessageBody: "poison" }));
    await receive(orders);
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arnOf("dead"), maxReceiveCount: 1 });
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl: orders, Attributes: { RedrivePolicy } }));
    clock.advance(30_000);
    expect(await receive(orders)).toEqual([]);
    await vi.waitFor(() => expect(aws.sqs.queue("dead").counts().visible).toBe(1));
  });
});

describe("moving dead letters back", () => {
  const completed = async (sqs: SQSClient): Promise<unknown> => {
    const list = new ListMessageMoveTasksCommand({ SourceArn: arnOf("dead") });
    return vi.waitFor(async () => {
      const [task] = (await sqs.send(list)).Results ?? [];
      expect(task?.Status).not.toBe("RUNNING");
      return task;
    });
  };

  it("returns each as a new message to the queue that it came from", async () => {
    const { sqs, orders, receive, exhaust } = await aQueueWithDeadLetters(1);
    const sent = await sqs.send(
      new SendMessageCommand({ QueueUrl: orders, MessageBody: "poison", MessageGroupId: "sub_1" }),
    );
    await exhaust(1);

    const { TaskHandle } = await sqs.send(new StartMessageMoveTaskCommand({ SourceArn: arnOf("dead") }));
    expect(TaskHandle).toBeDefined();
    expect(await completed(sqs)).toMatchObject({ Status: "COMPLETED", ApproximateNumberOfMessagesMoved: 1 });

    const [message] = await receive(orders);
    expect(message?.MessageId).not.toBe(sent.MessageId);
    expect(message).toMatchObject({
      Body: "poison",
      Attributes: { ApproximateReceiveCount: "1", MessageGroupId: "sub_1" },
    });
  });

  it("moves to another queue when one is named, at the rate that is asked for", async () => {
    const { aws, sqs, dead, clock } = await aQueueWithDeadLetters(1);
    await aws.sqs.createQueue("other");
    for (let index = 0; index < 5; index += 1) await aws.sqs.sendBody("dead", `dead ${index}`);
    expect(dead).toContain("dead");

    const paused = clock.nextTimer();
    await sqs.send(
      new StartMessageMoveTaskCommand({
        SourceArn: arnOf("dead"),
        DestinationArn: arnOf("other"),
        MaxNumberOfMessagesPerSecond: 3,
      }),
    );
    await paused;
    await vi.waitFor(() => expect(aws.sqs.queue("other").counts().visible).toBe(3));
    await vi.waitFor(() => {
      clock.advance(1_000);
      expect(aws.sqs.queue("other").counts().visible).toBe(5);
    });
  });

  it("fails, and loses nothing, when a message does not say where it came from", async () => {
    const { aws, sqs } = await aQueueWithDeadLetters(1);
    await aws.sqs.sendBody("dead", "sent here directly");
    await sqs.send(new StartMessageMoveTaskCommand({ SourceArn: arnOf("dead") }));
    expect(await completed(sqs)).toMatchObject({ Status: "FAILED" });
    expect(aws.sqs.queue("dead").counts().visible).toBe(1);
  });

  it("refuses a source that is no dead-letter queue, or does not exist", async () => {
    const { sqs } = await aQueueWithDeadLetters(1);
    const start = (name: string) => sqs.send(new StartMessageMoveTaskCommand({ SourceArn: arnOf(name) }));
    await expect(start("orders")).rejects.toMatchObject({ name: "UnsupportedOperation" });
    await expect(start("none")).rejects.toMatchObject({ name: "ResourceNotFoundException" });
  });
});
