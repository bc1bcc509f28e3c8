import { CreateScheduleCommand, GetScheduleCommand, ResourceNotFoundException } from "@aws-sdk/client-scheduler";
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  StartMessageMoveTaskCommand,
} from "@aws-sdk/client-sqs";
import { describe, expect, it, vi } from "vitest";
import { aDataDir, manualClock, schedulerClient, sqsClient, startAws } from "../../local/aws/fixture.js";
import { firstLine, killNow, start } from "../../local/aws/killed-endpoint.js";

/** For what comes by itself, on a busy machine. */
const patienceMs = 10_000;

const arnOf = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}`;

describe("kill -9 of the local SQS and Scheduler", () => {
  it("leaves a message's group and attributes as they were", async () => {
    const dataDir = await aDataDir();
    const child = start(dataDir);
    const sqs = sqsClient({ url: await firstLine(child.stdout) });
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: "orders" }));
    const MessageAttributes = {
      text: { DataType: "String", StringValue: "grüße" },
      bytes: { DataType: "Binary", BinaryValue: new Uint8Array([0, 255]) },
    };
    const sent = await sqs.send(
      new SendMessageCommand({ QueueUrl, MessageBody: "x", MessageGroupId: "sub_1", MessageAttributes }),
    );
    await killNow(child);

    const everything = { MessageSystemAttributeNames: ["All" as const], MessageAttributeNames: ["All"] };
    const restarted = sqsClient(await startAws({ dataDir }));
    const { Messages } = await restarted.send(new ReceiveMessageCommand({ QueueUrl, ...everything }));
    expect(Messages).toMatchObject([
      {
        MessageId: sent.MessageId,
        MD5OfMessageAttributes: sent.MD5OfMessageAttributes,
        MessageAttributes,
        Attributes: { MessageGroupId: "sub_1" },
      },
    ]);
  });

  it("in the middle of a move of dead letters loses none of them", async () => {
    const dataDir = await aDataDir();
    const child = start(dataDir);
    const sqs = sqsClient({ url: await firstLine(child.stdout) });
    const dead = await sqs.send(new CreateQueueCommand({ QueueName: "dead" }));
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arnOf("dead"), maxReceiveCount: 1 });
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: "orders", Attributes: { RedrivePolicy } }));
    const sent = Array.from({ length: 10 }, (_value, index) => `letter ${index}`);
    for (const MessageBody of sent) await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    for (const { ReceiptHandle } of Messages) {
      await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
    }
    await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
    const paced = { SourceArn: arnOf("dead"), MaxNumberOfMessagesPerSecond: 4 };
    const AttributeNames = ["ApproximateNumberOfMessages" as const];
    await vi.waitFor(async () => {
      const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl: dead.QueueUrl, AttributeNames }));
      expect(Attributes).toEqual({ ApproximateNumberOfMessages: "10" });
    }, patienceMs);
    await sqs.send(new StartMessageMoveTaskCommand(paced));
    const first = await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }));
    expect(first.Messages).toHaveLength(1);
    await killNow(child);

    const aws = await startAws({ dataDir });
    const left = [...(await aws.sqs.receive("orders", { max: 100 })), ...(await aws.sqs.receive("dead", { max: 100 }))];
    // What came back and was received once more than it may has gone to the dead letters again.
    await vi.waitFor(async () => {
      left.push(...(await aws.sqs.receive("dead", { max: 100 })));
      // One that was being moved may be in both, as a standard queue allows.
      expect(new Set(left.map(({ body }) => body))).toEqual(new Set(sent));
    }, patienceMs);
  });

  it("lets a schedule that became due meanwhile fire once, and be gone", async () => {
    const dataDir = await aDataDir();
    const child = start(dataDir);
    const url = await firstLine(child.stdout);
    await sqsClient({ url }).send(new CreateQueueCommand({ QueueName: "orders" }));
    await schedulerClient({ url }).send(
      new CreateScheduleCommand({
        Name: "retry",
        ScheduleExpression: "at(2098-12-31T23:00:00)",
        FlexibleTimeWindow: { Mode: "OFF" },
        ActionAfterCompletion: "DELETE",
        Target: { Arn: arnOf("orders"), RoleArn: "arn:aws:iam::000000000000:role/x", Input: "fired" },
      }),
    );
    await killNow(child);

    const clock = manualClock(Date.UTC(2099, 0, 1));
    const aws = await startAws({ dataDir, clock });
    clock.advance(0);
    await vi.waitFor(async () => {
      const lookup = schedulerClient(aws).send(new GetScheduleCommand({ Name: "retry" }));
      await expect(lookup).rejects.toBeInstanceOf(ResourceNotFoundException);
    }, patienceMs);
    clock.advance(86_400_000);
    expect((await aws.sqs.receive("orders", { max: 10 })).map(({ body }) => body)).toEqual(["fired"]);
  });
});
