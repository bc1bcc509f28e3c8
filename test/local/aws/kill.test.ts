import { once } from "node:events";
import {
  type AttributeValue,
  type CreateTableCommandInput,
  PutItemCommand,
  QueryCommand,
} from "@aws-sdk/client-dynamodb";
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { CreateScheduleCommand, GetScheduleCommand } from "@aws-sdk/client-scheduler";
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { describe, expect, it } from "vitest";
import { aDataDir, createTable, dynamodbClient, s3Client, schedulerClient, sqsClient, startAws } from "./fixture.js";
import { firstLine, killNow, start } from "./killed-endpoint.js";

describe("kill -9 of the local endpoint", () => {
  it("comes too late for a message that was acknowledged that very moment", async () => {
    const dataDir = await aDataDir();
    const child = start(dataDir, "send");
    const exited = once(child, "exit");
    expect(await firstLine(child.stdout)).toBe("acknowledged");
    expect((await exited)[1]).toBe("SIGKILL");

    const aws = await startAws({ dataDir });
    expect((await aws.sqs.receive("orders"))[0]?.body).toHaveLength(100_000);
  });

  it("loses no acknowledged message while thousands are being sent", async () => {
    const dataDir = await aDataDir();
    const child = start(dataDir);
    const url = await firstLine(child.stdout);
    const sqs = sqsClient({ url });
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: "orders" }));
    const acknowledged = new Set<string>();
    let killed: Promise<void> | null = null;
    const sendUntilKilled = async (): Promise<void> => {
      for (;;) {
        const Entries = Array.from({ length: 10 }, (_, index) => ({ Id: `e${index}`, MessageBody: `body ${index}` }));
        const { Successful = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
        for (const entry of Successful) acknowledged.add(entry.MessageId ?? "");
        if (acknowledged.size >= 2000) killed ??= killNow(child);
      }
    };
    // Each sender ends when the process that it sends to is gone.
    await Promise.allSettled(Array.from({ length: 8 }, sendUntilKilled));
    await killed;

    const aws = await startAws({ dataDir });
    expect(acknowledged.size).toBeGreaterThanOrEqual(2000);
    const messages = await aws.sqs.receive("orders", { max: 1_000_000 });
    for (const message of messages) acknowledged.delete(message.messageId);
    expect([...acknowledged]).toEqual([]);
  });

  it("makes messages in flight visible with their counts, keeps delays, forgets what was deleted", async () => {
    const dataDir = await aDataDir();
    const child = start(dataDir);
    const sqs = sqsClient({ url: await firstLine(child.stdout) });
    const { QueueUrl } = await sqs.send(
      new CreateQueueCommand({ QueueName: "orders", Attributes: { VisibilityTimeout: "600" } }),
    );
    const receive = async () => (await sqs.send(new ReceiveMessageCommand({ QueueUrl }))).Messages?.[0];
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "deleted" }));
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: (await receive())?.ReceiptHandle }));
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "in flight", MessageGroupId: "sub_1" }));
    const inFlight = await receive();
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "visible" }));
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "delayed", DelaySeconds: 900 }));
    await killNow(child);

    const aws = await startAws({ dataDir });
    expect(aws.sqs.queue("orders").settings.visibilityTimeoutSeconds).toBe(600);
    expect(aws.sqs.queue("orders").counts()).toEqual({ visible: 2, inFlight: 0, delayed: 1 });
    // The handle from before is good as long as nobody received the message again.
    await aws.sqs.delete("orders", inFlight?.ReceiptHandle ?? "");
    const messages = await aws.sqs.receive("orders", { max: 10 });
    expect(messages.map(({ body, attributes }) => [body, attributes["ApproximateReceiveCount"]])).toEqual([
      ["visible", "1"],
    ]);
  });

  it("counts receives from before", async () => {
    const dataDir = await aDataDir();
    const child = start(dataDir);
    const sqs = sqsClient({ url: await firstLine(child.stdout) });
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: "orders" }));
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "x" }));
    for (let receives = 0; receives < 3; receives += 1) {
      await sqs.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 0 }));
    }
    await killNow(child);

    const aws = await startAws({ dataDir });
    const [message] = await aws.sqs.receive("orders");
    expect(message?.attributes["ApproximateReceiveCount"]).toBe("4");
  });

  it("keeps schedules, objects, tables and their indexes", async () => {
    const dataDir = await aDataDir();
    const child = start(dataDir);
    const url = await firstLine(child.stdout);
    const Target = { Arn: "arn:aws:sqs:us-east-1:000000000000:orders", RoleArn: "arn:aws:iam::000000000000:role/x" };
    await schedulerClient({ url }).send(
      new CreateScheduleCommand({
        Name: "retry",
        ScheduleExpression: "at(2099-01-01T00:00:00)",
        FlexibleTimeWindow: { Mode: "OFF" },
        Target,
      }),
    );
    await s3Client({ url }).send(new CreateBucketCommand({ Bucket: "content" }));
    await s3Client({ url }).send(new PutObjectCommand({ Bucket: "content", Key: "one", Body: "kept" }));
    await createTable(dynamodbClient({ url }), relayTable);
    await dynamodbClient({ url }).send(
      new PutItemCommand({ TableName: "relay", Item: { pk: { S: "a" }, due: { S: "DUE" } } }),
    );
    await killNow(child);

    const aws = await startAws({ dataDir });
    const schedule = await schedulerClient(aws).send(new GetScheduleCommand({ Name: "retry" }));
    expect(schedule.ScheduleExpression).toBe("at(2099-01-01T00:00:00)");
    const { Body } = await s3Client(aws).send(new GetObjectCommand({ Bucket: "content", Key: "one" }));
    expect(await Body?.transformToString()).toBe("kept");
    const { Items } = await dynamodbClient(aws).send(
      new QueryCommand({
        TableName: "relay",
        IndexName: "due",
        KeyConditionExpression: "due = :due",
        ExpressionAttributeValues: { ":due": { S: "DUE" } },
      }),
    );
    expect(Items?.map((item: Record<string, AttributeValue>) => item["pk"]?.S)).toEqual(["a"]);
  });

  it("frees the data folder, which a running process holds for itself", async () => {
    const dataDir = await aDataDir();
    const child = start(dataDir);
    await firstLine(child.stdout);
    await expect(startAws({ dataDir })).rejects.toThrow(
      `The data folder ${dataDir} is in use by another running process: stop that one, or choose another folder.`,
    );
    await killNow(child);
    expect((await startAws({ dataDir })).port).toBeGreaterThan(0);
  });
});

const relayTable: CreateTableCommandInput = {
  TableName: "relay",
  BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: [
    { AttributeName: "pk", AttributeType: "S" },
    { AttributeName: "due", AttributeType: "S" },
  ],
  KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
  GlobalSecondaryIndexes: [
    {
      IndexName: "due",
      KeySchema: [{ AttributeName: "due", KeyType: "HASH" }],
      Projection: { ProjectionType: "KEYS_ONLY" },
    },
  ],
};
