import { park, parkingEnd } from "../../core/delivery.js";
import { isPassable } from "../../core/gate.js";
import type { Delivery } from "../../core/model.js";
import { isGoing } from "../../core/ticks.js";
import type { OpenSubscription } from "../ports.js";
import { moveGateWithTicks } from "../ticks.js";
import { attemptMessage, sendWhenDue } from "./announce.js";
import { acknowledged, type DeliveryContext } from "./delivery-context.js";
import { type Step, writeAndAnnounce } from "./step.js";
import type { SendableEvent } from "./turn.js";

/**
 * Why a delivery is parked: its gate is closed, or is open and a release will let it go (its slot is further away than a
 * message can wait; its last attempt is kept for after the rush).
 */
export type HoldReason = "closed" | "left_to_release";

/**
 * Parks a delivery, once: whatever comes for it while its gate stays closed is dropped. The gate is read again after
 * the write, so that an opening in between is not missed.
 */
export async function holdDelivery(
  context: DeliveryContext,
  stored: Delivery | null,
  current: Delivery,
  { policy }: OpenSubscription,
  sendable: SendableEvent,
  reason: HoldReason,
): Promise<Step> {
  const { subscriptionId } = current;
  await context.gates.noteParked(subscriptionId, context.now());
  if (stored?.status === "parked") return acknowledged;
  const parkedUntilMs = parkingEnd(current, policy, context.settings.retentionDays);
  const step = await writeAndAnnounce(context, stored, park(current, context.now(), parkedUntilMs), sendable);
  if ("ack" in step) await seeToRelease(context, current, reason);
  return step;
}

/** Somebody will come for what is parked now: itself, a tick, or whoever opens the gate. */
async function seeToRelease(context: DeliveryContext, parked: Delivery, reason: HoldReason): Promise<void> {
  const { subscriptionId } = parked;
  const gate = await context.gates.find(subscriptionId, { fresh: true });
  if (gate === null) return;
  const nowMs = context.now();
  const isOpen = isPassable(gate, nowMs);
  if (reason === "closed" && isOpen) {
    return sendWhenDue(context, attemptMessage(parked, parked.nextAttemptAtMs ?? nowMs));
  }
  // A release that found nothing has taken the gate off the list, while this delivery was on its way into it.
  if (!gate.holdsParked) await context.gates.noteParked(subscriptionId, nowMs);
  if (!isOpen || isGoing(gate, nowMs)) return;
  const withoutTicks = (current: typeof gate) => (isGoing(current, context.now()) ? null : current);
  await moveGateWithTicks(context, subscriptionId, withoutTicks, () => context.now());
}
