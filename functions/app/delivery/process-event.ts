import { deliveryIdOf } from "../../core/ids.js";
import type { Delivery, EventMeta } from "../../core/model.js";
import type { DeliveryMessage, EventMessage, Lane, StoredEvent } from "../ports.js";
import {
  acknowledged,
  type DeliveryContext,
  type InvocationTime,
  type MessageEnd,
  type Receipt,
} from "./delivery-context.js";
import { processDelivery } from "./process-delivery.js";
import { filterPass, resolveSubscriptions } from "./resolve-subscriptions.js";
import { laneOf } from "./slow-lane.js";
import { contentLoader, type LoadContent, restContent } from "./stored-content.js";
import type { SendableEvent, Turn } from "./turn.js";

/**
 * Fan-out: an event's first pass resolves its subscriptions and stores their ids on the event; later passes (a
 * duplicate, a message received again) use those. One subscription: its delivery starts at once, in this invocation.
 * Several: the event is stored first, then one message per delivery goes out. None: the event is kept, visible.
 */
export async function processEvent(
  context: DeliveryContext,
  message: EventMessage,
  receipt: Receipt,
  time: InvocationTime,
): Promise<MessageEnd> {
  const again = isReceivedAgain(message, receipt);
  const known = again ? await context.events.findEvent(message.event.eventId) : null;
  const content = contentLoader(context, message.content);
  const pass = filterPass(content);
  const subscriptionIds = known?.subscriptionIds ?? (await resolveSubscriptions(context, message.event, pass));
  const only = subscriptionIds.length === 1 ? subscriptionIds[0] : undefined;
  const startsAtOnce =
    only !== undefined && !again && !(pass.asked() && (await hasAnotherBody(context, message.event)));
  if (startsAtOnce) return deliverOne(context, message, content, only, receipt, time);
  return fanOut(context, message, content, subscriptionIds, receipt, time);
}

/** Then (or when it is sent back from the faults) a pass before may have resolved, and claimed, something else. */
function isReceivedAgain(message: EventMessage, receipt: Receipt): boolean {
  return receipt.receiveCount > 1 || message.as !== undefined;
}

/**
 * True for a duplicate of an event that is stored with another body. It is never sent: its subscription may be one that
 * the filters did not choose for the first body, and whose delivery no claim has seen.
 */
async function hasAnotherBody(context: DeliveryContext, event: EventMeta): Promise<boolean> {
  if (event.dedupeKey === null) return false;
  const known = await context.events.findEvent(event.eventId);
  return known !== null && known.event.bodySha256 !== event.bodySha256;
}

async function deliverOne(
  context: DeliveryContext,
  message: EventMessage,
  content: LoadContent,
  subscriptionId: string,
  receipt: Receipt,
  time: InvocationTime,
): Promise<MessageEnd> {
  const load = eventLoader(context, message, content, [subscriptionId]);
  return processDelivery(context, turnFor(message, subscriptionId, load), receipt, time);
}

/** The event as its message carries it; storing it is part of its first delivery. */
function eventLoader(
  context: DeliveryContext,
  message: EventMessage,
  content: LoadContent,
  subscriptionIds: readonly string[],
): () => Promise<SendableEvent> {
  const store = () => storeFor(context, message, subscriptionIds);
  return async () => ({ event: message.event, content: await content(), store });
}

async function storeFor(
  context: DeliveryContext,
  message: EventMessage,
  subscriptionIds: readonly string[],
): Promise<void> {
  await addMissing(context, await storeEvent(context, message, subscriptionIds), subscriptionIds);
}

/** For an event that an earlier pass stored without a subscription (it did not match then): its delivery must be found. */
async function addMissing(context: DeliveryContext, stored: StoredEvent, subscriptionIds: readonly string[]) {
  const missing = subscriptionIds.filter((id) => !stored.subscriptionIds.includes(id));
  for (const id of missing) await context.events.addSubscription(stored.event.eventId, id);
}

async function storeEvent(
  context: DeliveryContext,
  message: EventMessage,
  subscriptionIds: readonly string[],
): Promise<StoredEvent> {
  const content = await restContent(context, message.event, message.content);
  return context.events.storeEvent({ event: message.event, content, subscriptionIds });
}

function turnFor(message: EventMessage, subscriptionId: string, load: () => Promise<SendableEvent>): Turn {
  const { eventId, sourceId, bodySha256, receivedAtMs } = message.event;
  const deliveryId = deliveryIdOf(eventId, subscriptionId);
  return { origin: { deliveryId, eventId, sourceId, subscriptionId }, attempt: 1, bodySha256, receivedAtMs, load };
}

/**
 * Stores the event, then announces each delivery that has not begun. Deliveries that this very message claimed in an
 * earlier pass (it resolved a single subscription then, and died) are repaired here: no other message may.
 */
async function fanOut(
  context: DeliveryContext,
  message: EventMessage,
  content: LoadContent,
  subscriptionIds: readonly string[],
  receipt: Receipt,
  time: InvocationTime,
): Promise<MessageEnd> {
  const again = isReceivedAgain(message, receipt);
  const [begun, stored] = await Promise.all([
    begunDeliveries(context, message.event, subscriptionIds),
    storeEvent(context, message, subscriptionIds),
  ]);
  if (!again && stored.event.receivedAtMs !== message.event.receivedAtMs) context.metrics.count("Duplicates");
  const own = begun.filter((delivery) => delivery.claim?.guard === receipt.messageId);
  await addMissing(
    context,
    stored,
    own.map((delivery) => delivery.subscriptionId),
  );
  const begunIds = new Set(begun.map((delivery) => delivery.subscriptionId));
  const open = stored.subscriptionIds.filter((id) => !begunIds.has(id));
  await sendFirst(
    context,
    open.map((id) => firstAttempt(stored.event, id)),
  );
  if (stored.event.bodySha256 !== message.event.bodySha256) logDuplicate(context, stored.event);
  const end = await repairOwn(context, message, content, own, receipt, time);
  const mayStillClaim = again && own.length === 0;
  return end.ack && mayStillClaim ? acknowledgedOnceAlone(context, receipt, time) : end;
}

/**
 * The first receive of a message claims one delivery without having seen what this one saw. While its function may still
 * run, that claim can come, and only this message may repair it: it stays until then.
 */
function acknowledgedOnceAlone(context: DeliveryContext, receipt: Receipt, time: InvocationTime): MessageEnd {
  const aloneFromMs = (receipt.firstReceivedAtMs ?? 0) + time.leaseMs;
  const leftMs = aloneFromMs - context.now();
  return leftMs <= 0 ? acknowledged : { ack: false, returnAfterSeconds: Math.ceil(leftMs / 1000) };
}

/** Both lanes get theirs before the first rejection is passed on. */
async function sendFirst(context: DeliveryContext, messages: readonly DeliveryMessage[]): Promise<void> {
  const lanes = await Promise.all(messages.map((each) => laneOf(context.gates, each.subscriptionId)));
  const send = async (lane: Lane): Promise<void> => {
    const own = messages.filter((_message, index) => lanes[index] === lane);
    if (own.length > 0) await context.queue.sendDeliveries(own, 0, lane);
  };
  const results = await Promise.allSettled([send("fast"), send("slow")]);
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

function logDuplicate(context: DeliveryContext, { eventId, sourceId }: EventMeta): void {
  context.log("warn", "duplicate with another body, not sent", { eventId, sourceId });
}

/** Deliveries of the event that have an item, over all subscriptions that an earlier pass may have resolved. */
async function begunDeliveries(
  context: DeliveryContext,
  event: EventMeta,
  subscriptionIds: readonly string[],
): Promise<readonly Delivery[]> {
  const current = await context.subscriptions.ofSource(event.sourceId);
  const candidates = new Set([...subscriptionIds, ...current.map((each) => each.subscriptionId)]);
  return context.deliveries.findDeliveries([...candidates].map((id) => deliveryIdOf(event.eventId, id)));
}

function firstAttempt(event: EventMeta, subscriptionId: string): DeliveryMessage {
  const { eventId, sourceId, receivedAtMs } = event;
  const deliveryId = deliveryIdOf(eventId, subscriptionId);
  return { v: 1, kind: "delivery", deliveryId, eventId, sourceId, subscriptionId, attempt: 1, dueAtMs: receivedAtMs };
}

async function repairOwn(
  context: DeliveryContext,
  message: EventMessage,
  content: LoadContent,
  own: readonly Delivery[],
  receipt: Receipt,
  time: InvocationTime,
): Promise<MessageEnd> {
  let end: MessageEnd = acknowledged;
  for (const delivery of own) {
    const load = eventLoader(context, message, content, [delivery.subscriptionId]);
    const each = await processDelivery(context, turnFor(message, delivery.subscriptionId, load), receipt, time);
    if (!each.ack) end = each;
  }
  return end;
}
