import { isProbe, lastAttemptProbeAtMs, startProbe } from "../../core/circuit.js";
import { isHeld, isPassable } from "../../core/gate.js";
import type { Delivery, Gate, RetryPolicy } from "../../core/model.js";
import type { Passage } from "./circuit.js";
import type { DeliveryContext } from "./delivery-context.js";

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

/** How a delivery gets through its gate; null: it does not, and is parked. */
export async function passageOf(
  context: DeliveryContext,
  gate: Gate,
  delivery: Delivery,
  policy: RetryPolicy,
): Promise<Passage | null> {
  const nowMs = context.now();
  if (isPassable(gate, nowMs)) return { gate, isProbe: false };
  if (isProbe(gate, delivery.deliveryId, nowMs)) return { gate, isProbe: true };
  if (!mayProbe(gate, delivery, policy, nowMs)) return null;
  const probing = startProbe(gate, delivery.deliveryId, nowMs);
  // Somebody else is faster: theirs is the probe.
  if (probing === null || !(await context.gates.replaceGate(gate, probing))) return null;
  return { gate: probing, isProbe: true };
}

/** When a tick is so late that its probe is left to whoever comes along. */
const tickLateMs = 30_000;

/**
 * A delivery that comes along may be the probe itself when nothing is parked that a tick could take, or when the tick is
 * late; but not with its last attempt, unless it is time for that.
 */
function mayProbe(gate: Gate, delivery: Delivery, policy: RetryPolicy, nowMs: number): boolean {
  const { circuit } = gate;
  if (circuit === undefined || isHeld(gate, nowMs)) return false;
  if (gate.holdsParked && circuit.probeAtMs + tickLateMs > nowMs) return false;
  const isLastAttempt = delivery.attemptsStarted + 1 >= policy.maxAttempts;
  return !isLastAttempt || (!gate.holdsParked && lastAttemptProbeAtMs(circuit) <= nowMs);
}
