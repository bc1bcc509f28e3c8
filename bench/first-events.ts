import { randomUUID } from "node:crypto";
import { encodeMessage } from "../functions/app/messages.js";
import type { ContentRef } from "../functions/app/ports.js";
import { packContent } from "../functions/core/content.js";
import type { Engine } from "../local/engine.js";
import { sqsRecord } from "../local/poller.js";
import { anEvent } from "../test/support/builders.js";
import { httpApiEvent } from "../test/support/http-api-event.js";

/** The functions whose cold start somebody waits for. */
export const functionNames = ["ingress", "delivery", "admin", "sweeper"] as const;

/** What a function is started for: its most frequent work, from a relay that has the source `demo`. */
export async function firstEvent(engine: Engine, name: string): Promise<unknown> {
  const json = { "content-type": "application/json" };
  switch (name) {
    case "ingress":
      return httpApiEvent({
        path: "/in/demo",
        headers: json,
        body: '{"hello":"world"}',
        routeKey: "ANY /in/{sourceId}",
      });
    case "admin":
      return httpApiEvent({
        method: "GET",
        path: "/admin/sources",
        routeKey: "GET /admin/sources",
        userArn: "arn:aws:iam::000000000000:user/local",
      });
    case "delivery":
      return { Records: [eventRecord(engine, Buffer.from('{"hello":"world"}'))] };
    default:
      return { source: "aws.events" };
  }
}

/** The record of a new event, by default of the source `demo`. `key`: its content lies there in the bucket. */
export function eventRecord(
  engine: Engine,
  body: Buffer,
  { sourceId = "demo", key }: { readonly sourceId?: string; readonly key?: string } = {},
): Record<string, unknown> {
  const eventId = `evt_${randomUUID().replaceAll("-", "")}`;
  const event = anEvent(body, { eventId, sourceId, receivedAtMs: Date.now() });
  const content: ContentRef = key === undefined ? { at: "inline", packed: packedJson(body) } : { at: "bucket", key };
  const queue = engine.wiring.queues.find(({ url }) => url === deliveryEnvironment(engine)["DELIVERY_QUEUE_URL"]);
  const message = {
    messageId: randomUUID(),
    receiptHandle: "none",
    body: encodeMessage({ v: 1, kind: "event", event, content }),
    md5OfBody: "",
    attributes: { ApproximateReceiveCount: "1", ApproximateFirstReceiveTimestamp: String(Date.now()) },
    messageAttributes: {},
  };
  return sqsRecord(message as unknown as Parameters<typeof sqsRecord>[0], queue?.arn ?? "");
}

/** The content of an event with this body, as ingress packs it. */
export const packedJson = (body: Buffer): Buffer =>
  packContent({ headers: [["content-type", "application/json"]], body });

function deliveryEnvironment(engine: Engine): Readonly<Record<string, string>> {
  return engine.wiring.functions.find(({ label }) => label === "delivery")?.environment ?? {};
}
