import { once } from "node:events";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { createServer } from "node:net";
import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { describe, expect, it, vi } from "vitest";
import { PortInUseError } from "../../../local/aws/endpoint.js";
import { aDataDir, manualClock, sqsClient, startAws } from "./fixture.js";

const signed = {
  authorization:
    "AWS4-HMAC-SHA256 Credential=local/20260115/us-east-1/sqs/aws4_request, SignedHeaders=host, Signature=0",
  "content-type": "application/x-amz-json-1.0",
  "x-amz-target": "AmazonSQS.ListQueues",
};

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function post(url: string, headers: Record<string, string>, body = "{}"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(url, { method: "POST", headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        resolve({ status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString() });
      });
    });
    outgoing.on("error", reject).end(body);
  });
}

describe("the local endpoint", () => {
  it("answers on the loopback address only", async () => {
    expect((await startAws()).url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it.each([
    ["a foreign host", { host: "relay.example" }],
    ["a page's origin", { origin: "http://localhost:3000" }],
    ["no credentials", { authorization: "" }],
  ])("refuses a request with %s", async (_, headers) => {
    const aws = await startAws();
    expect((await post(aws.url, { ...signed, ...headers })).status).toBe(403);
    expect((await post(aws.url, signed)).status).toBe(200);
  });

  it("names what it does not know in the words of the service", async () => {
    const aws = await startAws();
    const sqs = await post(aws.url, { ...signed, "x-amz-target": "AmazonSQS.Fly" });
    expect([sqs.status, JSON.parse(sqs.text).__type]).toEqual([400, "com.amazonaws.local#UnknownOperationException"]);
    const other = await post(aws.url, { ...signed, "x-amz-target": "Kinesis_20131202.PutRecord" });
    expect(other.status).toBe(400);
    const broken = await post(aws.url, signed, "{");
    expect(JSON.parse(broken.text).__type).toContain("SerializationException");
  });

  it("lives on when a caller breaks off in the middle of a request", async () => {
    const onFault = vi.fn();
    const aws = await startAws({ onFault });
    for (const target of ["DynamoDB_20120810.PutItem", "AmazonSQS.SendMessage"]) {
      const outgoing = httpRequest(aws.url, {
        method: "POST",
        headers: { ...signed, "x-amz-target": target, "content-length": "1000" },
      });
      outgoing.on("error", () => undefined);
      await new Promise<void>((resolve) => outgoing.write("{", () => resolve()));
      const closed = new Promise<void>((resolve) => outgoing.once("close", resolve));
      outgoing.destroy();
      await closed;
    }
    expect((await post(aws.url, signed)).status).toBe(200);
    expect(onFault).not.toHaveBeenCalled();
  });

  it("answers long polls with nothing when it closes, and keeps what was sent before", async () => {
    const dataDir = await aDataDir();
    const clock = manualClock();
    const aws = await startAws({ dataDir, clock });
    const sqs = sqsClient(aws);
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: "orders" }));
    const waiting = clock.nextTimer();
    const polling = sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }));
    await waiting;
    await aws.sqs.createQueue("other");
    await aws.sqs.sendBody("other", "kept");
    await aws.close();
    expect((await polling).Messages).toBeUndefined();

    const again = await startAws({ dataDir, clock });
    expect((await again.sqs.receive("other")).map((message) => message.body)).toEqual(["kept"]);
  });

  it("says which port is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    const dataDir = await aDataDir();
    const starting = startAws({ port, dataDir });
    await expect(starting).rejects.toBeInstanceOf(PortInUseError);
    await expect(starting).rejects.toThrow(`Port ${port} is in use`);
    other.close();
    await once(other, "close");
    // The failed start has freed the folder.
    expect((await startAws({ port, dataDir })).port).toBe(port);
  });

  it("takes twenty thousand messages and hands each out once", async () => {
    const aws = await startAws();
    await aws.sqs.createQueue("orders");
    const count = 20_000;
    await Promise.all(Array.from({ length: count }, (_, index) => aws.sqs.sendBody("orders", `message ${index}`)));
    const seen = new Set<string>();
    for (;;) {
      const messages = await aws.sqs.receive("orders", { max: 500 });
      if (messages.length === 0) break;
      await Promise.all(messages.map((message) => aws.sqs.delete("orders", message.receiptHandle)));
      for (const message of messages) seen.add(message.messageId);
    }
    expect(seen.size).toBe(count);
    expect(aws.sqs.queue("orders").counts()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  it("answers senders and receivers of many SDK clients at once", async () => {
    const aws = await startAws();
    const clients = Array.from({ length: 4 }, () => sqsClient(aws));
    const { QueueUrl } = await (clients[0] as (typeof clients)[0]).send(
      new CreateQueueCommand({ QueueName: "orders" }),
    );
    await Promise.all(
      clients.flatMap((sqs) =>
        Array.from({ length: 25 }, (_, index) =>
          sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: `m${index}` })),
        ),
      ),
    );
    expect(aws.sqs.queue("orders").counts().visible).toBe(100);
  });
});
