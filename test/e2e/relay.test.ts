import { createHash, createHmac, randomBytes } from "node:crypto";
import { ListSchedulesCommand, SchedulerClient } from "@aws-sdk/client-scheduler";
import { ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Destination, startDestination } from "../support/destination.js";
import { eventually, isFinal, startRelay, type TestRelay } from "../support/relay.js";

let relay: TestRelay;
let destination: Destination;
beforeAll(async () => {
  relay = await startRelay({ environment: { MAX_QUEUE_DELAY_SECONDS: "2" } });
});
afterAll(() => relay.close());
afterEach(() => destination.close());

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const json = { "content-type": "application/json" };
let sources = 0;
/** A source of its own with one subscription to the destination. */
async function subscribed(policy: Record<string, unknown> = {}, more: Record<string, unknown> = {}) {
  const sourceId = `source-${++sources}`;
  const [subscription] = await relay.source({ sourceId, ...more }, { url: `${destination.url}/hooks`, policy });
  return { sourceId, path: `/in/${sourceId}`, subscription: subscription as Record<string, unknown> };
}
async function accepted(response: Promise<Response>): Promise<string> {
  const answer = await response;
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { eventId: string }).eventId;
}
/** An AWS client on the relay's own endpoint. */
const local = () => ({
  endpoint: relay.engine.awsUrl,
  region: "us-east-1",
  credentials: { accessKeyId: "local", secretAccessKey: "local" },
});

describe("an accepted event", () => {
  it("arrives byte for byte with its headers, signed for its subscription", async () => {
    destination = await startDestination(200);
    const { path, subscription } = await subscribed();
    const body = '{"url":"https:\\/\\/h.example\\/a","n":1.0,"id":7615917337495251231}';
    const eventId = await accepted(relay.post(`${path}?b=1&a=%20`, body, { ...json, "x-provider": "a" }));
    const [request] = await destination.received(1);
    expect(request?.body.toString()).toBe(body);
    expect(request?.target).toBe("/hooks?b=1&a=%20");
    expect(request?.headers).toMatchObject({ ...json, "x-provider": "a", "steadyhook-attempt": "1" });
    const secret = (subscription["signingSecret"] ?? "") as string;
    expect(() => new Webhook(secret).verify(request?.body ?? "", request?.headers ?? {})).not.toThrow();
    const [delivery] = await relay.deliveries(eventId, isFinal);
    expect(delivery).toMatchObject({
      status: "delivered",
      attempts: [{ number: 1, statusCode: 200, delaySeconds: 0 }],
    });
  });

  it.each([0, 1, 255 * 1024, 1024 * 1024, 4 * 1024 * 1024])("arrives with %i random bytes", async (size) => {
    destination = await startDestination(200);
    const { path } = await subscribed();
    const body = randomBytes(size);
    const eventId = await accepted(relay.post(path, body, { "content-type": "application/octet-stream" }));
    const [request] = await destination.received(1);
    expect(request?.sha256).toBe(sha256(body));
    expect(request?.headers["content-length"]).toBe(String(size));
    await relay.deliveries(eventId, isFinal);
    const kept = await fetch(`${relay.engine.gatewayUrl}/admin/events/${eventId}/body`);
    expect(sha256(Buffer.from(await kept.arrayBuffer()))).toBe(sha256(body));
  });

  it("is one event and one delivery when ten equal ones come at the same moment", async () => {
    destination = await startDestination(200);
    const dedupe = { from: "header", name: "x-github-delivery" };
    const { path } = await subscribed({}, { dedupe });
    const post = () => accepted(relay.post(path, "{}", { ...json, "x-github-delivery": "72d3162e" }));
    const eventIds = new Set(await Promise.all(Array.from({ length: 10 }, post)));
    expect(eventIds.size).toBe(1);
    const deliveries = await relay.deliveries([...eventIds][0] as string, isFinal);
    expect(deliveries).toHaveLength(1);
    expect(destination.requests).toHaveLength(1);
  });

  it("fans out to fifty subscriptions, one delivery each", async () => {
    destination = await startDestination(200);
    const sourceId = "fan-out";
    const urls = Array.from({ length: 50 }, (_value, index) => ({ url: `${destination.url}/${index}` }));
    await relay.source({ sourceId }, ...urls);
    const eventId = await accepted(relay.post("/in/fan-out", "{}", json));
    const deliveries = await relay.deliveries(eventId, isFinal);
    expect(deliveries).toHaveLength(50);
    expect(new Set(destination.requests.map((request) => request.target)).size).toBe(50);
  });

  it("is refused with 401 when its signature is wrong, and never gets further", async () => {
    destination = await startDestination(200);
    const secret = "It's a Secret to Everybody";
    const { path } = await subscribed({}, { verification: { scheme: "github", secrets: [secret] } });
    const signed = (body: string) => ({
      ...json,
      "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    });
    expect((await relay.post(path, "{}", signed("other"))).status).toBe(401);
    await accepted(relay.post(path, "{}", signed("{}")));
    await destination.received(1);
    expect(destination.requests.map((request) => request.body.toString())).toEqual(["{}"]);
  });

  it("can be published, with its type and identity from headers and no other header kept", async () => {
    destination = await startDestination(200);
    const { sourceId } = await subscribed();
    const headers = { "content-type": "text/plain", "steadyhook-event-type": "invoice.paid", "idempotency-key": "k1" };
    const publish = () => accepted(relay.post(`/publish/${sourceId}`, "paid", { ...headers, "x-internal": "secret" }));
    const eventId = await publish();
    expect(await publish()).toBe(eventId);
    await relay.deliveries(eventId, isFinal);
    const [request] = destination.requests;
    expect(destination.requests).toHaveLength(1);
    expect(request?.headers["content-type"]).toBe("text/plain");
    expect(request?.headers).not.toHaveProperty("x-internal");
  });
});

describe("a failing destination", () => {
  it("is asked again after the policy's delays until it takes the event", async () => {
    destination = await startDestination([503, 503, 200]);
    const { path } = await subscribed({ schedule: { kind: "table", delaysSeconds: [1, 2] }, jitter: 0 });
    const eventId = await accepted(relay.post(path, "{}", json));
    const [delivery] = await relay.deliveries(eventId, isFinal);
    expect(delivery?.status).toBe("delivered");
    expect(delivery?.attempts.map(({ statusCode, delaySeconds }) => [statusCode, delaySeconds])).toEqual([
      [503, 0],
      [503, 1],
      [200, 2],
    ]);
    const starts = delivery?.attempts.map((attempt) => Date.parse(attempt.startedAt)) ?? [];
    expect((starts[1] ?? 0) - (starts[0] ?? 0)).toBeGreaterThanOrEqual(1000);
    expect((starts[2] ?? 0) - (starts[1] ?? 0)).toBeGreaterThanOrEqual(2000);
  });

  it("ends as a dead letter after the maximum, with one message on the dead-letter queue", async () => {
    destination = await startDestination(500);
    const schedule = { kind: "fixed", baseSeconds: 1 };
    const { path } = await subscribed({ schedule, jitter: 0, maxAttempts: 3 });
    const eventId = await accepted(relay.post(path, "{}", json));
    const [delivery] = await relay.deliveries(eventId, isFinal);
    expect(delivery).toMatchObject({ status: "dead_lettered", deadLetterReason: "exhausted" });
    expect(delivery?.attempts).toHaveLength(3);
    const letters = await deadLettersOf(eventId);
    expect(letters).toMatchObject([{ deliveryId: delivery?.deliveryId, reason: "exhausted", attempts: 3 }]);
  });

  it.each([
    [422, "strict", "dead_lettered"],
    [422, "lenient", "dead_lettered"],
    [409, "strict", "dead_lettered"],
    [409, "lenient", "retry_scheduled"],
  ])("that answers %i under %s rules ends %s", async (status, rules, expected) => {
    destination = await startDestination(status);
    const { path } = await subscribed({
      rules,
      schedule: { kind: "fixed", baseSeconds: 1 },
      maxAttempts: 2,
      jitter: 0,
    });
    const eventId = await accepted(relay.post(path, "{}", json));
    const [delivery] = await relay.deliveries(eventId, ({ attempts }) => attempts.length === 1);
    expect(delivery?.status).toBe(expected);
    const [ended] = await relay.deliveries(eventId, isFinal);
    expect(ended?.attempts).toHaveLength(expected === "dead_lettered" ? 1 : 2);
  });

  it("is left alone until a schedule fires when the delay is beyond the queue's", async () => {
    destination = await startDestination([503, 200]);
    const { path } = await subscribed({ schedule: { kind: "fixed", baseSeconds: 4 }, jitter: 0 });
    const scheduler = new SchedulerClient(local());
    const eventId = await accepted(relay.post(path, "{}", json));
    const [waiting] = await relay.deliveries(eventId, ({ status }) => status === "retry_scheduled");
    const named = async () => {
      const { Schedules = [] } = await scheduler.send(new ListSchedulesCommand({ NamePrefix: waiting?.deliveryId }));
      return Schedules.length;
    };
    expect(await eventually(async () => (await named()) || undefined)).toBe(1);
    const [delivery] = await relay.deliveries(eventId, isFinal);
    expect(delivery?.status).toBe("delivered");
    expect(await named()).toBe(0);
    scheduler.destroy();
  });

  it("is given the time that its Retry-After asks for", async () => {
    destination = await startDestination([{ status: 429, headers: { "retry-after": "2" } }, 200]);
    const { path } = await subscribed({ schedule: { kind: "fixed", baseSeconds: 1 }, jitter: 0 });
    const eventId = await accepted(relay.post(path, "{}", json));
    const [delivery] = await relay.deliveries(eventId, isFinal);
    const [first, second] = delivery?.attempts ?? [];
    expect(Date.parse(second?.startedAt ?? "") - Date.parse(first?.startedAt ?? "")).toBeGreaterThanOrEqual(2000);
  });

  it("is never followed to where it redirects", async () => {
    destination = await startDestination({ status: 307, headers: { location: "/elsewhere" } });
    const { path } = await subscribed();
    const eventId = await accepted(relay.post(path, "{}", json));
    await relay.deliveries(eventId, isFinal);
    expect(destination.requests.map((request) => request.target)).toEqual(["/hooks"]);
  });
});

async function deadLettersOf(eventId: string): Promise<unknown[]> {
  const sqs = new SQSClient(local());
  const url = relay.engine.wiring.queues.find((queue) => queue.url.includes("DeadLetter"))?.url;
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10, VisibilityTimeout: 0 }),
  );
  sqs.destroy();
  return Messages.map((message) => JSON.parse(message.Body ?? "")).filter((letter) => letter.eventId === eventId);
}
