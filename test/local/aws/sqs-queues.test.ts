import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListDeadLetterSourceQueuesCommand,
  ListQueuesCommand,
  ListQueueTagsCommand,
  PurgeQueueCommand,
  QueueDoesNotExist,
  QueueNameExists,
  SendMessageCommand,
  SetQueueAttributesCommand,
  TagQueueCommand,
  UnsupportedOperation,
  UntagQueueCommand,
} from "@aws-sdk/client-sqs";
import { describe, expect, it } from "vitest";
import { manualClock, sqsClient, startAws } from "./fixture.js";

describe("queues of the local SQS", () => {
  it("creates a queue and finds it by its name", async () => {
    const aws = await startAws();
    const sqs = sqsClient(aws);

    const created = await sqs.send(new CreateQueueCommand({ QueueName: "orders" }));

    expect(created.QueueUrl).toBe(`${aws.url}/000000000000/orders`);
    const found = await sqs.send(new GetQueueUrlCommand({ QueueName: "orders" }));
    expect(found.QueueUrl).toBe(created.QueueUrl);
  });

  it("answers the same queue when it is created again with equal attributes, and refuses different ones", async () => {
    const sqs = sqsClient(await startAws());
    const command = (seconds: string) =>
      new CreateQueueCommand({ QueueName: "orders", Attributes: { VisibilityTimeout: seconds } });
    const first = await sqs.send(command("45"));

    expect((await sqs.send(command("45"))).QueueUrl).toBe(first.QueueUrl);
    expect((await sqs.send(new CreateQueueCommand({ QueueName: "orders" }))).QueueUrl).toBe(first.QueueUrl);
    await expect(sqs.send(command("46"))).rejects.toBeInstanceOf(QueueNameExists);
  });

  it("shows the attributes that were set, AWS's defaults for the others, and the counts", async () => {
    const aws = await startAws({ clock: manualClock() });
    const sqs = sqsClient(aws);
    const { QueueUrl } = await sqs.send(
      new CreateQueueCommand({ QueueName: "orders", Attributes: { VisibilityTimeout: "45" } }),
    );
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "now" }));
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "later", DelaySeconds: 5 }));

    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }));

    expect(Attributes).toMatchObject({
      QueueArn: "arn:aws:sqs:us-east-1:000000000000:orders",
      VisibilityTimeout: "45",
      DelaySeconds: "0",
      MessageRetentionPeriod: "345600",
      MaximumMessageSize: "1048576",
      ApproximateNumberOfMessages: "1",
      ApproximateNumberOfMessagesDelayed: "1",
      ApproximateNumberOfMessagesNotVisible: "0",
    });
    const only = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] }));
    expect(Object.keys(only.Attributes ?? {})).toEqual(["QueueArn"]);
  });

  it("changes and removes attributes", async () => {
    const sqs = sqsClient(await startAws());
    const deadLetters = await sqs.send(new CreateQueueCommand({ QueueName: "dead" }));
    const RedrivePolicy = JSON.stringify({
      deadLetterTargetArn: "arn:aws:sqs:us-east-1:000000000000:dead",
      maxReceiveCount: 3,
    });
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: "orders", Attributes: { RedrivePolicy } }));

    const sources = await sqs.send(new ListDeadLetterSourceQueuesCommand({ QueueUrl: deadLetters.QueueUrl }));
    expect(sources.queueUrls).toEqual([QueueUrl]);

    await sqs.send(
      new SetQueueAttributesCommand({ QueueUrl, Attributes: { RedrivePolicy: "", VisibilityTimeout: "7" } }),
    );
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }));
    expect(Attributes?.["VisibilityTimeout"]).toBe("7");
    expect(Attributes?.["RedrivePolicy"]).toBeUndefined();
  });

  it.each([
    ["DelaySeconds", "901", "InvalidAttributeValue"],
    ["VisibilityTimeout", "43201", "InvalidAttributeValue"],
    ["MessageRetentionPeriod", "59", "InvalidAttributeValue"],
    ["RedrivePolicy", "{", "InvalidAttributeValue"],
    [
      "RedrivePolicy",
      '{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:none","maxReceiveCount":2}',
      "InvalidParameterValue",
    ],
    ["Colour", "red", "InvalidAttributeName"],
  ])("refuses attribute %s = %s with %s, and creates nothing", async (name, value, error) => {
    const sqs = sqsClient(await startAws());
    const creating = sqs.send(new CreateQueueCommand({ QueueName: "orders", Attributes: { [name]: value } }));
    await expect(creating).rejects.toMatchObject({ name: error });
    expect((await sqs.send(new ListQueuesCommand({}))).QueueUrls ?? []).toEqual([]);
  });

  it("refuses FIFO queues and names that SQS does not allow", async () => {
    const sqs = sqsClient(await startAws());
    const fifo = new CreateQueueCommand({ QueueName: "orders.fifo", Attributes: { FifoQueue: "true" } });
    await expect(sqs.send(fifo)).rejects.toBeInstanceOf(UnsupportedOperation);
    await expect(sqs.send(fifo)).rejects.toThrow("FIFO queues are not supported");
    await expect(sqs.send(new CreateQueueCommand({ QueueName: "or/ders" }))).rejects.toThrow("alphanumeric");
  });

  it("lists queues by prefix, in pages", async () => {
    const sqs = sqsClient(await startAws());
    for (const QueueName of ["b-2", "a-1", "b-1", "b-3"]) await sqs.send(new CreateQueueCommand({ QueueName }));

    const first = await sqs.send(new ListQueuesCommand({ QueueNamePrefix: "b", MaxResults: 2 }));
    const rest = await sqs.send(new ListQueuesCommand({ QueueNamePrefix: "b", NextToken: first.NextToken }));

    const names = [...(first.QueueUrls ?? []), ...(rest.QueueUrls ?? [])].map((url) => url.split("/").at(-1));
    expect(first.QueueUrls).toHaveLength(2);
    expect(names).toEqual(["b-1", "b-2", "b-3"]);
    expect(rest.NextToken).toBeUndefined();
  });

  it("purges and deletes with everything inside", async () => {
    const aws = await startAws();
    const sqs = sqsClient(aws);
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: "orders" }));
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "one" }));

    await sqs.send(new PurgeQueueCommand({ QueueUrl }));
    expect(aws.sqs.queue("orders").counts().visible).toBe(0);

    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "two" }));
    await sqs.send(new DeleteQueueCommand({ QueueUrl }));
    await expect(sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "x" }))).rejects.toBeInstanceOf(
      QueueDoesNotExist,
    );
    await sqs.send(new CreateQueueCommand({ QueueName: "orders" }));
    expect(aws.sqs.queue("orders").counts().visible).toBe(0);
  });

  it("keeps tags", async () => {
    const sqs = sqsClient(await startAws());
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: "orders", tags: { a: "1" } }));
    await sqs.send(new TagQueueCommand({ QueueUrl, Tags: { b: "2" } }));
    await sqs.send(new UntagQueueCommand({ QueueUrl, TagKeys: ["a"] }));
    expect((await sqs.send(new ListQueueTagsCommand({ QueueUrl }))).Tags).toEqual({ b: "2" });
  });

  it("finds a queue by a URL of an earlier start on another port", async () => {
    const aws = await startAws();
    await aws.sqs.createQueue("orders");
    const sent = await sqsClient(aws).send(
      new SendMessageCommand({ QueueUrl: "http://127.0.0.1:1/000000000000/orders", MessageBody: "x" }),
    );
    expect(sent.MessageId).toBeDefined();
  });
});
