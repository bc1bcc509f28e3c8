import type { Delivery } from "../../core/model.js";
import type { DeliveryMessage, Lane } from "../ports.js";
import { acknowledged, type DeliveryContext, type MessageEnd, type Receipt } from "./delivery-context.js";
import type { SendableEvent, Turn } from "./turn.js";

/** Where a turn goes on. */
export interface HandOver {
  readonly lane: Lane;
  /** Whole seconds, 0–900. */
  readonly delaySeconds: number;
  readonly slotAtMs?: number;
}

/**
 * Hands a turn over to another message, before any claim: nothing is held by this invocation, and the event is stored
 * before its message is gone. The new one goes under the old one's name: should that be the guard of a claim after all,
 * received again or delivered twice by SQS, it repairs there what it would have repaired here.
 */
export async function handOver(
  { queue, log, now }: Pick<DeliveryContext, "queue" | "log" | "now">,
  { origin, attempt, repair }: Turn,
  stored: Delivery | null,
  { messageId }: Receipt,
  sendable: SendableEvent,
  { lane, delaySeconds, slotAtMs }: HandOver,
): Promise<MessageEnd> {
  await sendable.store();
  const { deliveryId, eventId, sourceId, subscriptionId } = origin;
  const message: DeliveryMessage = {
    v: 1,
    kind: "delivery",
    as: messageId,
    deliveryId,
    eventId,
    sourceId,
    subscriptionId,
    attempt,
    dueAtMs: now(),
    ...(stored === null ? {} : { stored: true as const }),
    ...(repair ? { repair: true as const } : {}),
    ...(slotAtMs === undefined ? {} : { slotAtMs }),
  };
  log("debug", "handed over", { deliveryId, subscriptionId, attempt, lane, delaySeconds });
  await queue.sendDeliveries([message], delaySeconds, lane);
  return acknowledged;
}
