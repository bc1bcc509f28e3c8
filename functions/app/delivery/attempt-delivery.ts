import {
  claimAttempt,
  type DeliveryOrigin,
  endWithoutAttempt,
  newDelivery,
  overdueReason,
} from "../../core/delivery.js";
import { isDeleted, shortHoldWaitMs } from "../../core/gate.js";
import type { DeadLetterReason, Delivery, EventMeta } from "../../core/model.js";
import type { OpenSubscription } from "../ports.js";
import { acknowledged, type DeliveryContext, type InvocationTime, type Receipt } from "./delivery-context.js";
import { endDelivery } from "./end-delivery.js";
import { passageOf } from "./gate-check.js";
import { type HandOver, handOver } from "./hand-over.js";
import { holdDelivery } from "./hold-delivery.js";
import { leavesTimeToSend, returnDelaySeconds } from "./invocation-time.js";
import { presentSubscription } from "./present-subscription.js";
import { sendAndRecord } from "./send-and-record.js";
import { slotFor, thisMoment } from "./slots.js";
import { belongsToSlowLane } from "./slow-lane.js";
import { replace, type Step } from "./step.js";
import type { Turn } from "./turn.js";

/** Makes the next attempt of `stored` (null: the delivery's first write), if its subscription and gate allow it. */
export async function attemptDelivery(
  context: DeliveryContext,
  turn: Turn,
  stored: Delivery | null,
  receipt: Receipt,
  time: InvocationTime,
): Promise<Step> {
  const { subscriptionId } = turn.origin;
  const [[subscription, gate], sendable] = await Promise.all([
    presentSubscription(context, turn.origin, stored),
    turn.load(),
  ]);
  const current = stored ?? newDelivery(originOf(turn, sendable.event), context.now());
  const owner = { token: context.newToken(), guard: receipt.messageId };
  const endBecause = (reason: DeadLetterReason) =>
    endDelivery(context, gate, stored, endWithoutAttempt(current, reason, owner, context.now()), sendable);
  // The gate shows a deletion at once, the subscription's cache some seconds later.
  if (subscription === null || subscription.deletedAtMs !== null || (gate !== null && isDeleted(gate))) {
    return endBecause("subscription_deleted");
  }
  // Its deliveries were cancelled with it; this one, a replay, was made at the same moment.
  if (sendable.erased) return endBecause("cancelled");
  const overdue = overdueReason(current, subscription.policy, context.settings.retentionDays, context.now());
  if (overdue !== null) return endBecause(overdue);
  // Written before its subscription, and kept as long.
  if (gate === null) throw new Error(`subscription ${subscriptionId} has no gate`);
  const handOverTo = (where: HandOver) => handOver(context, turn, stored, receipt, sendable, where);
  // What is parked stays so: its release goes on after the hold.
  const waitMs = stored?.status === "parked" ? null : shortHoldWaitMs(gate, current, context.now(), context.random);
  if (waitMs !== null) return handOverTo({ lane: receipt.lane ?? "fast", delaySeconds: Math.ceil(waitMs / 1000) });
  const passage = await passageOf(context, gate, current, subscription.policy, time.leaseUntilMs);
  if (typeof passage === "string") return holdDelivery(context, stored, current, subscription, sendable, passage);
  if (belongsToSlowLane(gate, receipt, context.now())) return handOverTo({ lane: "slow", delaySeconds: 0 });
  // A probe is alone: nothing else passes its gate.
  const slot = passage.isProbe ? thisMoment : await slotFor(context, subscription, passage.gate, turn.slotAtMs);
  if (slot.turn === "none") return holdDelivery(context, stored, current, subscription, sendable, "left_to_release");
  if (slot.turn === "later") return handOverTo(until(slot.slotAtMs, receipt, context.now()));
  if (!leavesTimeToSend(time, context.now())) {
    return { ack: false, returnAfterSeconds: returnDelaySeconds(receipt.receiveCount) };
  }
  const claimed = claimAttempt(current, { leaseUntilMs: time.leaseUntilMs, ...owner }, context.now());
  const lost = await replace(context, stored, claimed);
  if (lost !== null) return lost;
  countLastAttempt(context, claimed, subscription);
  const { lane = "fast" } = receipt;
  await sendAndRecord(context, claimed, subscription, sendable, { time, passage, lane });
  return acknowledged;
}

/** How many deliveries reach their last attempt; where there is only one, none has come to its last. */
function countLastAttempt({ metrics }: DeliveryContext, { attemptsStarted }: Delivery, { policy }: OpenSubscription) {
  if (attemptsStarted > 1 && attemptsStarted >= policy.maxAttempts) metrics.count("LastAttemptReached");
}

/** The message comes early, by less than a second: it is exact who waits for the rest. */
function until(slotAtMs: number, { lane = "fast" }: Receipt, nowMs: number): HandOver {
  return { lane, slotAtMs, delaySeconds: Math.floor((slotAtMs - nowMs) / 1000) };
}

function originOf({ origin }: Turn, { bodySha256, receivedAtMs }: EventMeta): DeliveryOrigin {
  const { deliveryId, eventId, sourceId, subscriptionId } = origin;
  return { deliveryId, eventId, sourceId, subscriptionId, bodySha256, receivedAtMs };
}
