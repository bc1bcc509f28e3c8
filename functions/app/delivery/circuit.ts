import { dropProbe, openCircuit, settleProbe } from "../../core/circuit.js";
import { isOutdated } from "../../core/gate.js";
import type { Attempt, Gate, Subscription } from "../../core/model.js";
import { type CircuitSign, failsByRate, inARow, isTooManyInARow, isWorthWriting } from "../../core/outcome-tally.js";
import { isGoing, withTick } from "../../core/ticks.js";
import { moveGate, moveGateWithTicks, sendTick } from "../ticks.js";
import type { DeliveryContext } from "./delivery-context.js";

/** What the outcome of an attempt means for its subscription's gate. */

/** The gate that an attempt began under, and whether it is the probe of an open circuit. */
export interface Passage {
  readonly gate: Gate;
  readonly isProbe: boolean;
}

/**
 * Tells the gate what came of a recorded attempt. Never rejects: the attempt is recorded, and what a gate was not told
 * the next outcome tells it; a probe that is not settled ends with its lease.
 */
export async function noteOutcome(
  context: DeliveryContext,
  subscription: Subscription,
  passage: Passage,
  attempt: Attempt,
  deliveryId: string,
): Promise<void> {
  try {
    await noteHold(context, subscription, attempt);
    if (passage.isProbe) await settle(context, subscription, deliveryId, attempt);
    else await count(context, subscription, passage.gate, attempt);
  } catch (error) {
    context.log("warn", "outcome not told to the gate", { subscriptionId: subscription.subscriptionId, error });
  }
}

function signOf({ outcome }: Attempt): CircuitSign | null {
  if (outcome === "delivered") return "success";
  return outcome === "retryable" ? "failure" : null;
}

async function count(context: DeliveryContext, subscription: Subscription, gate: Gate, attempt: Attempt) {
  const sign = signOf(attempt);
  if (sign === null) return;
  const nowMs = context.now();
  const { circuit: settings, subscriptionId } = subscription;
  const tally = context.outcomes.add(gate, sign, nowMs);
  if (!isWorthWriting(tally, settings, nowMs)) return;
  context.outcomes.handOver(subscriptionId, tally, inARow(tally), nowMs);
  const counted = await context.gates.addOutcomes(subscriptionId, tally, nowMs);
  if (counted?.counts === undefined) return;
  const { counts } = counted;
  const fails = isTooManyInARow(counts.inARow, tally, settings, nowMs) || failsByRate(counts, settings);
  if (sign === "failure" && fails) await open(context, subscription, counted.generation);
}

async function open(context: DeliveryContext, subscription: Subscription, generation: number): Promise<void> {
  const { subscriptionId, sourceId, circuit: settings } = subscription;
  const opened = await moveGateWithTicks(
    context,
    subscriptionId,
    (gate) =>
      gate.generation === generation && gate.status === "active" && gate.circuit === undefined
        ? openCircuit(gate, settings, context.now(), context.random)
        : null,
    (gate) => gate.circuit?.probeAtMs ?? context.now(),
  );
  if (opened === null) return;
  context.metrics.count("CircuitOpened");
  context.log("warn", "circuit opened", { subscriptionId, sourceId, generation });
}

async function settle(
  context: DeliveryContext,
  subscription: Subscription,
  deliveryId: string,
  { outcome }: Attempt,
): Promise<void> {
  const { subscriptionId, sourceId, circuit: settings } = subscription;
  const settled = await moveGateWithTicks(
    context,
    subscriptionId,
    (gate) =>
      isOutdated(subscription, gate)
        ? dropProbe(gate, deliveryId, context.now())
        : settleProbe(gate, { deliveryId, outcome }, settings, context.now(), context.random),
    (gate) => gate.circuit?.probeAtMs ?? context.now(),
  );
  if (settled === null) return;
  const closed = settled.circuit === undefined;
  if (closed) context.metrics.count("CircuitClosed");
  context.log("info", closed ? "circuit closed" : "probe failed", { subscriptionId, sourceId, deliveryId, outcome });
}

/** A `Retry-After` that is nearly the same as the known one is none worth a write. */
const sameHoldMs = 1_000;

/** What the destination asks of one delivery it asks of all: nothing is sent to it before that. */
async function noteHold(context: DeliveryContext, subscription: Subscription, attempt: Attempt): Promise<void> {
  const { retryAfterSeconds, outcome } = attempt;
  if (retryAfterSeconds === null || retryAfterSeconds <= 0 || outcome !== "retryable") return;
  const seconds = Math.min(retryAfterSeconds, subscription.policy.retryAfterCapSeconds);
  const untilMs = attempt.startedAtMs + (attempt.durationMs ?? 0) + seconds * 1000;
  const { subscriptionId } = subscription;
  if (untilMs - context.now() < sameHoldMs) return;
  const isKnown = (gate: Gate | null) => (gate?.heldUntilMs ?? 0) > untilMs - sameHoldMs;
  if (isKnown(await context.gates.find(subscriptionId))) return;
  // What a release is to go by is at its next tick; without one, a tick at the end of the hold lets go what is parked.
  const held = await moveGate(context, subscriptionId, (gate) => {
    if (isKnown(gate) || gate.status !== "active" || isOutdated(subscription, gate)) return null;
    const holding = { ...gate, heldUntilMs: untilMs, ...fromTheStart(gate) };
    return isGoing(gate, context.now()) ? holding : withTick(holding, untilMs);
  });
  if (held === null) return;
  context.log("info", "subscription held", { subscriptionId, untilMs, seconds });
  if (held.tick?.dueAtMs === untilMs) await sendTick(context, held);
}

/** What is parked during the hold may lie before the place that a release has come to: it begins anew. */
function fromTheStart({ release }: Gate): Pick<Gate, "release"> {
  if (release === undefined || release.endedAtMs !== undefined) return {};
  return { release: { ...release, from: null, after: null, sent: 0, lastPass: false } };
}
