import { park, parkingEnd } from "../../core/delivery.js";
import type { Delivery } from "../../core/model.js";
import type { OpenSubscription } from "../ports.js";
import { attemptMessage, sendWhenDue } from "./announce.js";
import { acknowledged, type DeliveryContext } from "./delivery-context.js";
import { currentGate, isClosed } from "./gate-check.js";
import { type Step, writeAndAnnounce } from "./step.js";
import type { SendableEvent } from "./turn.js";

/** Parks at a closed gate. The gate is read again after the write: an opening in between must not be missed. */
export async function holdDelivery(
  context: DeliveryContext,
  stored: Delivery | null,
  current: Delivery,
  { policy }: OpenSubscription,
  sendable: SendableEvent,
): Promise<Step> {
  await context.gates.noteParked(current.subscriptionId, context.now());
  if (stored?.status === "parked") return acknowledged;
  const parkedUntilMs = parkingEnd(current, policy, context.settings.retentionDays);
  const step = await writeAndAnnounce(context, stored, park(current, context.now(), parkedUntilMs), sendable);
  if ("ack" in step && !isClosed(await currentGate(context, current.subscriptionId))) {
    await sendWhenDue(context, attemptMessage(current, current.nextAttemptAtMs ?? context.now()));
  }
  return step;
}
