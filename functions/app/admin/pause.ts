import type { Gate } from "../../core/model.js";
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
  const { answer } = await setStatus(context, subscriptionId, conditions, "paused", "operator");
  return answer;
}

/**
 * Opens the gate, also one that a 410 closed, and releases what is parked. A gate that is open already gets its
 * release all the same: the message of an earlier call may have been lost after its write.
 */
export async function resumeSubscription(
  context: AdminContext,
  subscriptionId: string,
  conditions: Preconditions,
): Promise<SubscriptionView> {
  const { gate, answer } = await setStatus(context, subscriptionId, conditions, "active", null);
  const { generation } = gate;
  await context.control.sendRelease({ v: 1, kind: "release", subscriptionId, generation, after: null, sent: 0 }, 0);
  return answer;
}

function setStatus(
  context: AdminContext,
  subscriptionId: string,
  conditions: Preconditions,
  status: "active" | "paused",
  statusReason: string | null,
): Promise<{ readonly gate: Gate; readonly answer: SubscriptionView }> {
  return untilUnchanged(async () => {
    const found = await requireSubscription(context, subscriptionId);
    requirePreconditions(conditions, found.record.version);
    const gate = movedTo(found.gate, status, statusReason);
    if (gate !== found.gate && !(await context.subscriptions.moveGate(found.gate, gate, context.now()))) return null;
    return { gate, answer: subscriptionView({ record: found.record, gate }, context) };
  });
}

/** Every change of what is passable is a new generation: releases of an older one end by themselves. */
function movedTo(gate: Gate, status: "active" | "paused", statusReason: string | null): Gate {
  return gate.status === status ? gate : { ...gate, status, statusReason, generation: gate.generation + 1 };
}
