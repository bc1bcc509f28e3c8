import {
  claimAttempt,
  type DeliveryOrigin,
  endWithoutAttempt,
  newDelivery,
  overdueReason,
} from "../../core/delivery.js";
import { isDeleted } from "../../core/gate.js";
import type { Delivery, EventMeta } from "../../core/model.js";
import {
  acknowledged,
  type DeliveryContext,
  type InvocationTime,
  type MessageEnd,
  type Receipt,
} from "./delivery-context.js";
import { currentGate, isClosed } from "./gate-check.js";
import { holdDelivery } from "./hold-delivery.js";
import { leavesTimeToSend, returnDelaySeconds } from "./invocation-time.js";
import { sendAndRecord } from "./send-and-record.js";
import { belongsToSlowLane, handOver } from "./slow-lane.js";
import { replace, type Step, writeAndAnnounce } from "./step.js";
import type { SendableEvent, Turn } from "./turn.js";

/** Makes the next attempt of `stored` (null: the delivery's first write), if its subscription and gate allow it. */
export async function attemptDelivery(
  context: DeliveryContext,
  turn: Turn,
  stored: Delivery | null,
  receipt: Receipt,
  time: InvocationTime,
): Promise<Step> {
  const { sourceId, subscriptionId } = turn.origin;
  const [subscription, gate, sendable] = await Promise.all([
    context.subscriptions.open(sourceId, subscriptionId),
    currentGate(context, subscriptionId),
    turn.load(),
  ]);
  const current = stored ?? newDelivery(originOf(turn, sendable.event), context.now());
  const owner = { token: context.newToken(), guard: receipt.messageId };
  // The gate shows a deletion at once, the subscription's cache some seconds later.
  if (subscription === null || subscription.deletedAtMs !== null || (gate !== null && isDeleted(gate))) {
    return writeAndAnnounce(
      context,
      stored,
      endWithoutAttempt(current, "subscription_deleted", owner, context.now()),
      sendable,
    );
  }
  const overdue = overdueReason(current, subscription.policy, context.settings.retentionDays, context.now());
  if (overdue !== null) {
    return writeAndAnnounce(context, stored, endWithoutAttempt(current, overdue, owner, context.now()), sendable);
  }
  if (isClosed(gate)) return holdDelivery(context, stored, current, subscription, sendable);
  if (belongsToSlowLane(gate, receipt, context.now())) {
    return sendOnBySlowLane(context, turn, stored, receipt, sendable);
  }
  if (!leavesTimeToSend(time, context.now())) {
    return { ack: false, returnAfterSeconds: returnDelaySeconds(receipt.receiveCount) };
  }
  const claimed = claimAttempt(current, { ...owner, leaseUntilMs: time.leaseUntilMs }, context.now());
  const lost = await replace(context, stored, claimed);
  if (lost !== null) return lost;
  await sendAndRecord(context, claimed, subscription, sendable, time);
  return acknowledged;
}

/** Before any claim: nothing is held by this invocation, and the event is stored before its message is gone. */
async function sendOnBySlowLane(
  context: DeliveryContext,
  { origin, attempt, repair }: Turn,
  stored: Delivery | null,
  receipt: Receipt,
  sendable: SendableEvent,
): Promise<MessageEnd> {
  await sendable.store();
  const { deliveryId, eventId, sourceId, subscriptionId } = origin;
  const ids = { deliveryId, eventId, sourceId, subscriptionId };
  const flags = {
    ...(stored === null ? {} : { stored: true as const }),
    ...(repair ? { repair: true as const } : {}),
  };
  await handOver(context, { v: 1, kind: "delivery", ...ids, attempt, dueAtMs: context.now(), ...flags }, receipt);
  return acknowledged;
}

function originOf(turn: Turn, event: EventMeta): DeliveryOrigin {
  return { ...turn.origin, bodySha256: event.bodySha256, receivedAtMs: event.receivedAtMs };
}
