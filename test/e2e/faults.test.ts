import { randomUUID } from "node:crypto";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { FaultView, StatsView } from "../../functions/app/admin/view-schemas.js";
import { encodeMessage } from "../../functions/app/messages.js";
import { packContent } from "../../functions/core/content.js";
import { deliveryIdOf, freshEventId } from "../../functions/core/ids.js";
import { anEvent } from "../support/builders.js";
import { type Destination, startDestination } from "../support/destination.js";
import { eventually, isFinal, startRelay, type TestRelay } from "../support/relay.js";

let relay: TestRelay;
let sqs: SQSClient;
let destination: Destination | undefined;
beforeAll(async () => {
  relay = await startRelay();
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  sqs = new SQSClient({ endpoint: relay.engine.awsUrl, region: "us-east-1", credentials });
});
afterAll(async () => {
  sqs.destroy();
  await relay.close();
});
afterEach(async () => {
  await destination?.close();
  destination = undefined;
});

const queueUrl = (name: RegExp) => relay.engine.wiring.queues.find((queue) => name.test(queue.name))?.url ?? "";

/** Puts a text on a queue; gives the id that SQS gave it. */
async function put(
  queue: "Delivery" | "Control" | "Fault",
  body: string,
  attributes: Readonly<Record<string, string>> = {},
) {
  const MessageAttributes = Object.fromEntries(
    Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: "String", StringValue }]),
  );
  const QueueUrl = queueUrl(new RegExp(queue));
  const { MessageId } = await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: body, MessageAttributes }));
  return MessageId ?? "";
}

const waiting = async (messageId: string): Promise<FaultView | undefined> => {
  const { items } = await relay.admin<{ items: FaultView[] }>("GET", "/admin/faults");
  return items.find((fault) => fault.messageId === messageId);
};
const faultOf = (messageId: string) => eventually(() => waiting(messageId));

const redrive = (faultId: string) => relay.admin<FaultView>("POST", `/admin/faults/${faultId}/redrive`, {});

/** Resolves once no queue of ours holds anything: nothing goes round. */
const rest = () =>
  eventually(async () => {
    const { queues } = await relay.admin<StatsView>("GET", "/admin/stats");
    const held = [queues.delivery, queues.control, queues.fault].flatMap((depth) => Object.values(depth));
    return held.every((depth) => depth === 0) ? true : undefined;
  });

describe("a message that cannot be read", () => {
  it.each([
    ["Delivery", '{"v":9,"kind":"delivery"}', "v is not a version that this relay reads (1)"],
    ["Delivery", '{"v":1,"kind":"greeting"}', "kind is neither event nor delivery"],
    ["Delivery", '{"v":1,"kind":"delivery","deliveryId":7}', "deliveryId is not a text"],
    ["Delivery", "good morning", "message is not JSON"],
    ["Control", '{"v":1,"kind":"delivery"}', "kind is not tick"],
  ] as const)("is a fault of the %s queue at once, with its reason: %s", async (queue, body, reason) => {
    const messageId = await put(queue, body);
    const { faultId } = await faultOf(messageId);
    expect(await relay.admin("GET", `/admin/faults/${faultId}`)).toMatchObject({
      queue: queue.toLowerCase(),
      cause: `UnreadableMessageError: ${reason}`,
      redrivenAt: null,
      times: 1,
      message: { bytes: body.length, text: body, cut: false },
    });
    await rest();
  });

  it("is the same fault when it is sent back and fails again", async () => {
    const messageId = await put("Delivery", '{"v":9}');
    const first = await faultOf(messageId);
    expect((await redrive(first.faultId)).redrivenAt).not.toBeNull();
    const again = await eventually(async () => {
      const fault = await waiting(messageId);
      return fault?.times === 2 ? fault : undefined;
    });
    expect(again).toMatchObject({ faultId: first.faultId, redrivenAt: null });
    await rest();
  });
});

describe("a message that could not be processed", () => {
  const cause = "Error: table on fire";

  it("of an event is delivered once it is sent back, and then is not sent back again", async () => {
    const { url } = await open();
    await relay.source({ sourceId: "events" }, { url });
    const body = Buffer.from('{"n":1}');
    const eventId = freshEventId(Date.now(), Buffer.alloc(10, 1));
    const event = anEvent(body, { eventId, sourceId: "events", receivedAtMs: Date.now() });
    const packed = packContent({ headers: [["content-type", "application/json"]], body });
    const text = encodeMessage({ v: 1, kind: "event", event, content: { at: "inline", packed } });

    const messageId = randomUUID();
    await put("Fault", text, { queue: "delivery", messageId, cause });
    const fault = await faultOf(messageId);
    expect(fault).toMatchObject({ queue: "delivery", cause, eventId, deliveryId: null });
    expect(destination?.requests).toHaveLength(0);

    await redrive(fault.faultId);
    expect((await relay.deliveries(eventId, isFinal)).map(({ status }) => status)).toEqual(["delivered"]);
    expect(destination?.requests.map((request) => request.body.toString())).toEqual(['{"n":1}']);
    await expect(redrive(fault.faultId)).rejects.toThrow("409");
    expect(await waiting(messageId)).toBeUndefined();
  });

  it("of a delivery is delivered once it is sent back", async () => {
    const { url } = await open();
    await relay.source({ sourceId: "deliveries" }, { url });
    const answer = await relay.post("/in/deliveries", "{}", { "content-type": "application/json" });
    const { eventId } = (await answer.json()) as { eventId: string };
    await relay.deliveries(eventId, isFinal);

    const created = await relay.admin<{ subscriptionId: string }>("POST", "/admin/sources/deliveries/subscriptions", {
      url: `${url}/second`,
    });
    const { subscriptionId } = created;
    const deliveryId = deliveryIdOf(eventId, subscriptionId);
    const ids = { deliveryId, eventId, sourceId: "deliveries", subscriptionId };
    const messageId = randomUUID();
    const text = encodeMessage({ v: 1, kind: "delivery", ...ids, attempt: 1, dueAtMs: Date.now() });
    await put("Fault", text, { queue: "delivery", messageId, cause });
    const fault = await faultOf(messageId);
    expect(fault).toMatchObject({ cause, eventId, deliveryId, subscriptionId });

    await redrive(fault.faultId);
    await destination?.received(2);
    expect(destination?.requests.map(({ target }) => target)).toEqual(["/hooks", "/hooks/second"]);
    await eventually(async () => {
      const { status } = await relay.admin<{ status: string }>("GET", `/admin/deliveries/${deliveryId}`);
      return status === "delivered" ? status : undefined;
    });
  });
});

async function open(): Promise<{ readonly url: string }> {
  destination = await startDestination(200);
  return { url: `${destination.url}/hooks` };
}
