import { unpackContent } from "../../core/content.js";
import { type DeliveryOrigin, newDelivery } from "../../core/delivery.js";
import { deliveryIdOf } from "../../core/ids.js";
import type { EventContent, EventMeta } from "../../core/model.js";
import type { ContentRef, StoredEvent } from "../ports.js";
import type { AdminContext } from "./context.js";
import { deliverySummary } from "./delivery-views.js";
import { eventFields } from "./event-views.js";
import { refusal, unknown } from "./problem.js";
import type { EventView } from "./view-schemas.js";
import { isoTime } from "./views.js";

/** Largest body, in bytes, that travels inside an answer: as base64 it stays below Lambda's 6 MB. */
const largestAnswer = 4 * 1024 * 1024;

const dayMs = 86_400_000;

/** What the event ids of this relay look like. */
const eventIdPattern = /^evt_[0-9a-hjkmnp-tv-z]{26}$/;

/** An event with its headers and the deliveries that came of it. */
export async function findEvent(context: AdminContext, id: string): Promise<EventView> {
  const stored = await requireEvent(context, id);
  const { headers } = stored.erasedAtMs === undefined ? await loadContent(context, stored.content) : { headers: [] };
  return {
    ...eventFields(stored),
    headers: Object.fromEntries(headers),
    deliveries: await deliveriesOf(context, stored),
  };
}

/** A body, byte for byte: in line, or where to fetch it. */
export type BodyAnswer =
  | { readonly at: "inline"; readonly body: Buffer; readonly contentType: string | null }
  | { readonly at: "url"; readonly url: string };

export async function findEventBody(context: AdminContext, id: string): Promise<BodyAnswer> {
  const { event, content } = requireContent(await requireEvent(context, id));
  const { headers, body } = await loadContent(context, content);
  if (body.length > largestAnswer) return { at: "url", url: await context.downloads.offer(event, body) };
  const contentType = headers.find(([name]) => name === "content-type")?.[1] ?? null;
  return { at: "inline", body, contentType };
}

/**
 * Ingress answers once the queue has an event, and the queue cannot be asked for one: whether an id that is not in the
 * table is still on its way, has expired or was never given cannot be told. What cannot be an id of ours is unknown.
 */
export async function requireEvent(context: AdminContext, id: string): Promise<StoredEvent> {
  if (!eventIdPattern.test(id)) throw unknown("unknown_event", id);
  const stored = await context.events.findEvent(id);
  if (stored !== null) return stored;
  throw refusal(
    404,
    "not_yet_processed",
    `Event "${id}" is not stored: it is still in the queue, or it has expired, or it was never accepted.`,
  );
}

/** 410 unless there is still something to show of what was sent. */
export function requireContent(stored: StoredEvent): StoredEvent {
  if (stored.erasedAtMs === undefined) return stored;
  const at = isoTime(stored.erasedAtMs);
  throw refusal(410, "erased", `Event "${stored.event.eventId}" was erased at ${at}.`);
}

async function loadContent(context: AdminContext, ref: ContentRef): Promise<EventContent> {
  return unpackContent(ref.at === "inline" ? ref.packed : await context.contents.get(ref.key));
}

/**
 * In the order of the subscriptions, replays of these after them. One whose message has not been taken up yet has no item and is shown as pending;
 * an event outlives its deliveries, so that later a missing one has expired.
 */
async function deliveriesOf(context: AdminContext, { event, subscriptionIds }: StoredEvent) {
  const origins = subscriptionIds.map((subscriptionId) => originOf(event, subscriptionId));
  const found = await context.deliveries.findDeliveries(origins.map(({ deliveryId }) => deliveryId));
  const replays = await context.deliveries.findDeliveries(found.flatMap(({ replayedAs = [] }) => replayedAs));
  const byId = new Map(found.map((delivery) => [delivery.deliveryId, delivery]));
  const maybeExpired = context.now() > event.receivedAtMs + context.retentionDays * dayMs;
  const first = origins.flatMap((origin) => {
    const delivery = byId.get(origin.deliveryId);
    if (delivery === undefined && maybeExpired) return [];
    return [delivery ?? newDelivery(origin, event.receivedAtMs)];
  });
  return [...first, ...replays.toSorted((a, b) => a.createdAtMs - b.createdAtMs)].map(deliverySummary);
}

export function originOf(
  { eventId, sourceId, bodySha256, receivedAtMs }: EventMeta,
  subscriptionId: string,
): DeliveryOrigin {
  const deliveryId = deliveryIdOf(eventId, subscriptionId);
  return { deliveryId, eventId, sourceId, subscriptionId, bodySha256, receivedAtMs };
}
