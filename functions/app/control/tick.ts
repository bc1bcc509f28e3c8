import { releasesParked } from "../../core/gate.js";
import { earlyToleranceMs } from "../../core/message-verdict.js";
import type { Gate, Subscription } from "../../core/model.js";
import { judgeTick, withTick } from "../../core/ticks.js";
import type { TickMessage } from "../ports.js";
import { sendTick } from "../ticks.js";
import { probeStep, repeatProbe } from "./probe-step.js";
import { releaseStep, repeatPage } from "./release-step.js";
import { movedOnly, type TickContext, type TickStep } from "./tick-context.js";

/** Losing this often in a row means that nobody gets on; the message comes back. */
const triesAtMost = 5;

/**
 * One tick: a probe of an open circuit, or a page of a release. The step is stored first, by one conditional write that
 * only the gate's own tick can make; then it is carried out. A function that dies in between leaves a message that comes
 * back and sends again what the step was for; what is sent twice is a copy, which the claim drops. A tick that is lost
 * altogether is missed by the sweeper, since the gate stays on the list of what is due.
 */
export async function processTick(context: TickContext, message: TickMessage, messageId: string): Promise<void> {
  const { subscriptionId } = message;
  for (let tries = 0; tries < triesAtMost; tries++) {
    const gate = await context.gates.find(subscriptionId, { fresh: true });
    if (gate === null) return;
    const verdict = judgeTick(gate, { ...message, messageId }, context.now());
    if (verdict === "drop") return;
    const { sourceId, subscriptionVersion: atLeastVersion = 0 } = gate;
    const subscription = await context.subscriptions.find(sourceId, subscriptionId, { atLeastVersion });
    if (subscription === null) return;
    noteOpenCircuit(context, gate);
    if (verdict === "repeat") return repeat(context, gate, subscription);
    if (message.seq !== null && isEarly(gate, context.now())) return sendTick(context, gate);
    const step = await nextStep(context, gate, subscription, messageId);
    if (step === null) return;
    if (!(await context.gates.replaceGate(gate, step.next))) continue;
    await step.send();
    return sendTick(context, step.next);
  }
  throw new Error(`the gate of ${subscriptionId} kept moving under ${triesAtMost} reads`);
}

const isEarly = ({ tick }: Gate, nowMs: number): boolean => (tick?.dueAtMs ?? 0) - nowMs > earlyToleranceMs;

/** Null: nothing to do in this state; whoever changes it sets new ticks going. */
async function nextStep(
  context: TickContext,
  gate: Gate,
  subscription: Subscription,
  by: string,
): Promise<TickStep | null> {
  const nowMs = context.now();
  if (releasesParked(gate, nowMs)) return releaseStep(context, gate, subscription, by);
  if (gate.status !== "active") return null;
  if (gate.heldUntilMs !== undefined && gate.heldUntilMs > nowMs) {
    return movedOnly(withTick(gate, gate.heldUntilMs, by));
  }
  return probeStep(context, gate, subscription, by);
}

/** An open circuit has a tick at least every 15 minutes, however rarely it is probed: the longest of them is the gauge. */
function noteOpenCircuit({ metrics, now }: TickContext, { status, circuit }: Gate): void {
  if (status !== "active" || circuit === undefined) return;
  metrics.value("OldestOpenCircuitSeconds", Math.round((now() - circuit.openedAtMs) / 1000));
}

/** What the step before was for, once more, and the tick after it. */
async function repeat(context: TickContext, gate: Gate, subscription: Subscription): Promise<void> {
  if (gate.circuit === undefined) await repeatPage(context, gate, subscription);
  else await repeatProbe(context, gate);
  await sendTick(context, gate);
}
