import {
  extendProbe,
  isLeftToPassers,
  isProbe,
  lastAttemptProbeAtMs,
  probeOverAtMs,
  startProbe,
} from "../../core/circuit.js";
import { isHeld, isPassable } from "../../core/gate.js";
import type { Delivery, Gate, RetryPolicy } from "../../core/model.js";
import { keepsLastAttempt } from "../../core/release.js";
import { withTick } from "../../core/ticks.js";
import { sendTick } from "../ticks.js";
import type { Passage } from "./circuit.js";
import type { DeliveryContext } from "./delivery-context.js";
import type { HoldReason } from "./hold-delivery.js";

/**
 * The gate as a delivery meets it. Closed is believed from memory by a delivery that will be parked (the gate is read
 * again after that), but not by one that is parked: a resume may just have released it.
 */
export async function currentGate(
  context: DeliveryContext,
  subscriptionId: string,
  stored: Delivery | null,
): Promise<Gate | null> {
  const cached = await context.gates.find(subscriptionId);
  if (cached === null || isPassable(cached, context.now()) || stored?.status !== "parked") return cached;
  return context.gates.find(subscriptionId, { fresh: true });
}

/**
 * How a delivery gets through its gate, or why it does not and is parked. `leaseUntilMs`: when its attempt is over at the
 * latest.
 */
export async function passageOf(
  context: DeliveryContext,
  gate: Gate,
  delivery: Delivery,
  policy: RetryPolicy,
  leaseUntilMs: number,
): Promise<Passage | HoldReason> {
  const nowMs = context.now();
  if (isPassable(gate, nowMs)) {
    // What is parked already has been let go by the release itself.
    const isKept = delivery.status !== "parked" && keepsLastAttempt(gate, delivery, policy);
    return isKept ? "left_to_release" : { gate, isProbe: false };
  }
  if (isHeld(gate, nowMs)) return "closed";
  const probing = probingGate(gate, delivery, policy, nowMs);
  if (probing === null) return "closed";
  // A first message looks at nothing before its claim: a copy of it must not take the probe and drop it.
  const isCopy = delivery.status === "pending" && (await context.deliveries.findDelivery(delivery.deliveryId)) !== null;
  if (isCopy) return "closed";
  const extended = extendProbe(probing, leaseUntilMs);
  if (extended === gate) return { gate, isProbe: true };
  // A new tick fences it: somebody else may start a probe from the same gate, or end this one's lease.
  const next = withTick(extended, probeOverAtMs(extended, nowMs));
  if (!(await context.gates.replaceGate(gate, next))) return "closed";
  await sendTick(context, next);
  return { gate: next, isProbe: true };
}

/** The gate with the delivery's probe under way; null when it is not to be the probe. */
function probingGate(gate: Gate, delivery: Delivery, policy: RetryPolicy, nowMs: number): Gate | null {
  if (isProbe(gate, delivery.deliveryId, nowMs)) return gate;
  return mayProbe(gate, delivery, policy, nowMs) ? startProbe(gate, delivery.deliveryId, nowMs) : null;
}

/** A delivery that comes along is not the probe with its last attempt, unless nothing is parked and it is time for that. */
function mayProbe(gate: Gate, delivery: Delivery, policy: RetryPolicy, nowMs: number): boolean {
  const { circuit } = gate;
  if (circuit === undefined || !isLeftToPassers(gate, nowMs)) return false;
  const isLastAttempt = delivery.attemptsStarted + 1 >= policy.maxAttempts;
  return !isLastAttempt || (!gate.holdsParked && lastAttemptProbeAtMs(circuit) <= nowMs);
}
