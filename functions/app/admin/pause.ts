import { nextGeneration } from "../../core/gate.js";
import type { Gate } from "../../core/model.js";
import { withTick } from "../../core/ticks.js";
import { sendTick } from "../ticks.js";
import type { AdminContext } from "./context.js";
import { requireSubscription } from "./subscriptions.js";
import { type Preconditions, requirePreconditions, untilUnchanged } from "./versions.js";
import type { SubscriptionView } from "./view-schemas.js";
import { subscriptionView } from "./views.js";

/** Pause and resume: an operator's hand on the gate. Both may be repeated. */

/** From now on deliveries are parked: no attempt is made or counted. Takes effect everywhere within a second. */
export async function pauseSubscription(
  context: AdminContext,
  subscriptionId: string,
  conditions: Preconditions,
): Promise<SubscriptionView> {
  const { answer } = await changeGate(context, subscriptionId, conditions, (gate) => paused(gate, context.now()));
  return answer;
}

/**
 * Opens the gate, also one that a 410 closed, and releases what is parked. A gate that is open already gets its release
 * all the same: the message of an earlier call may have been lost after its write. A circuit that is open is probed at
 * once: whether the destination is back is its own to show.
 */
export async function resumeSubscription(
  context: AdminContext,
  subscriptionId: string,
  conditions: Preconditions,
): Promise<SubscriptionView> {
  const { gate, answer } = await changeGate(context, subscriptionId, conditions, (found) =>
    withTick(resumed(found, context.now()), context.now()),
  );
  await sendTick(context, gate);
  return answer;
}

function resumed(gate: Gate, nowMs: number): Gate {
  if (gate.status !== "active") return nextGeneration(gate, { status: "active", statusReason: null }, nowMs);
  const { circuit, heldUntilMs: _noLonger, ...open } = gate;
  return circuit === undefined
    ? open
    : { ...open, circuit: { ...circuit, probeAtMs: Math.min(circuit.probeAtMs, nowMs) } };
}

const paused = (gate: Gate, nowMs: number): Gate =>
  gate.status === "paused" ? gate : nextGeneration(gate, { status: "paused", statusReason: "operator" }, nowMs);

function changeGate(
  context: AdminContext,
  subscriptionId: string,
  conditions: Preconditions,
  change: (gate: Gate) => Gate,
): Promise<{ readonly gate: Gate; readonly answer: SubscriptionView }> {
  return untilUnchanged(async () => {
    const found = await requireSubscription(context, subscriptionId);
    requirePreconditions(conditions, found.record.version);
    const moved = change(found.gate);
    const gate = moved === found.gate ? moved : { ...moved, subscriptionVersion: found.record.version };
    if (gate !== found.gate && !(await context.subscriptions.moveGate(found.gate, gate))) return null;
    return { gate, answer: subscriptionView({ record: found.record, gate }, context) };
  });
}
