import {
  cooldownMs,
  lastAttemptProbeAtMs,
  liveProbe,
  probeCandidate,
  probeOverAtMs,
  startProbe,
} from "../../core/circuit.js";
import type { Delivery, Gate, OpenCircuit, Subscription } from "../../core/model.js";
import { withTick } from "../../core/ticks.js";
import { attemptMessage, sendWhenDue } from "../delivery/announce.js";
import { movedOnly, type TickContext, type TickStep } from "./tick-context.js";

/** Parked deliveries that are looked at together, and how many such pages at the most: see {@link someCandidate}. */
const candidatePage = 25;
const mostPages = 20;

/** The next step of an open circuit: a probe if it is time for one, else a tick when it will be. */
export async function probeStep(
  context: TickContext,
  gate: Gate,
  subscription: Subscription,
  by: string,
): Promise<TickStep> {
  const circuit = gate.circuit as OpenCircuit;
  const nowMs = context.now();
  const wait = (untilMs: number): TickStep => movedOnly(withTick(gate, untilMs, by));
  if (liveProbe(circuit, nowMs) !== undefined) return wait(probeOverAtMs(gate, nowMs));
  if (circuit.probeAtMs > nowMs) return wait(circuit.probeAtMs);
  const found = await someCandidate(context, subscription);
  const mayProbe = found !== null && (!found.isLastAttempt || lastAttemptProbeAtMs(circuit) <= nowMs);
  const probing = mayProbe ? startProbe(gate, found.delivery.deliveryId, nowMs) : null;
  // Nobody to probe with: what comes along is the probe, or is parked and will be found by a later tick.
  if (found === null || probing === null) {
    return wait(nowMs + cooldownMs(circuit.openedAtMs, subscription.circuit, nowMs, context.random));
  }
  return {
    next: withTick(probing, probeOverAtMs(probing, nowMs), by),
    send: () => sendWhenDue(context, attemptMessage(found.delivery, nowMs)),
  };
}

/**
 * A parked delivery to probe with, the page of those that wait for longest first; the next page only when each of a page
 * has nothing but its last attempt. Those whose own retry is not due yet are left alone.
 */
async function someCandidate(context: TickContext, { subscriptionId, policy }: Subscription) {
  let best: ReturnType<typeof probeCandidate> = null;
  let after: string | null = null;
  for (let page = 0; page < mostPages; page++) {
    const entries = await context.parked.parkedAfter(subscriptionId, after, candidatePage);
    const last = entries.at(-1);
    if (last === undefined) break;
    after = last.position;
    const deliveries = await context.deliveries.findDeliveries(entries.map(({ deliveryId }) => deliveryId));
    const candidate = probeCandidate(
      deliveries.filter((each) => isDueAndParked(each, context.now())),
      policy.maxAttempts,
    );
    best ??= candidate;
    if (candidate !== null && !candidate.isLastAttempt) return candidate;
    if (entries.length < candidatePage || policy.maxAttempts === 1) break;
  }
  return best;
}

/** One whose wait is over makes no attempt, and would be no probe. */
const isDueAndParked = ({ status, nextAttemptAtMs, parkedUntilMs }: Delivery, nowMs: number): boolean =>
  status === "parked" && (nextAttemptAtMs ?? 0) <= nowMs && (parkedUntilMs ?? Number.POSITIVE_INFINITY) > nowMs;

/** Sends the probe's message again: the function that started the probe may have died before. */
export async function repeatProbe(context: TickContext, gate: Gate): Promise<void> {
  const probe = gate.circuit === undefined ? undefined : liveProbe(gate.circuit, context.now());
  if (probe === undefined) return;
  const [delivery] = await context.deliveries.findDeliveries([probe.deliveryId]);
  if (delivery?.status === "parked") await sendWhenDue(context, attemptMessage(delivery, context.now()));
}
