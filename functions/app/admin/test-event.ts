import { createHash } from "node:crypto";
import { packContent } from "../../core/content.js";
import { newDelivery } from "../../core/delivery.js";
import { deliveryIdOf, freshEventId } from "../../core/ids.js";
import type { EventMeta } from "../../core/model.js";
import { restContent } from "../delivery/stored-content.js";
import { sendStored } from "../replays/make-replay.js";
import type { AdminContext } from "./context.js";
import type { JsonObject } from "./merge-patch.js";
import { parse } from "./parse.js";
import { testEventSchema } from "./replay-schemas.js";
import { requireSubscription } from "./subscriptions.js";
import type { TestEventView } from "./view-schemas.js";
import { isoTime } from "./views.js";

/**
 * Sends an event of the relay's own to one subscription, whatever its types and filter say: an ordinary event with one
 * delivery, signed, retried and shown as any other. No other subscription of the source gets it.
 */
export async function sendTestEvent(
  context: AdminContext,
  subscriptionId: string,
  input: JsonObject,
): Promise<TestEventView> {
  const { type, body: given } = parse(testEventSchema, input);
  const { record } = await requireSubscription(context, subscriptionId);
  const nowMs = context.now();
  const body = Buffer.from(JSON.stringify(given ?? testBody(type, subscriptionId, nowMs)));
  const event = testEvent(context, record.sourceId, type, body);
  const packed = packContent({ headers: [["content-type", "application/json"]], body });
  const content = await restContent(context, event, { at: "inline", packed });
  await context.events.storeEvent({ event, content, subscriptionIds: [subscriptionId] });
  const { eventId, sourceId, bodySha256, receivedAtMs } = event;
  const deliveryId = deliveryIdOf(eventId, subscriptionId);
  const origin = { deliveryId, eventId, sourceId, subscriptionId, bodySha256, receivedAtMs };
  const delivery = newDelivery(origin, nowMs);
  await context.deliveries.replaceDelivery(null, delivery);
  await sendStored(context, [delivery]);
  return { eventId, deliveryId };
}

function testEvent({ now, entropy }: AdminContext, sourceId: string, type: string, body: Buffer): EventMeta {
  const nowMs = now();
  return {
    eventId: freshEventId(nowMs, entropy(10)),
    sourceId,
    method: "POST",
    suffix: "",
    query: "",
    type,
    receivedAtMs: nowMs,
    bodySha256: createHash("sha256").update(body).digest("hex"),
    bodyBytes: body.length,
    verifiedBy: null,
    dedupeKey: null,
  };
}

const testBody = (type: string, subscriptionId: string, nowMs: number) => ({
  type,
  message: "This is a test event. Nothing has happened.",
  subscriptionId,
  sentAt: isoTime(nowMs),
});
