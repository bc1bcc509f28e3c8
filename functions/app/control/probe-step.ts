import {
  cooldownMs,
  isBestCandidate,
  lastAttemptProbeAtMs,
  liveProbe,
  type ProbeCandidate,
  probeCandidate,
  probeOverAtMs,
  probeRoomMs,
  startProbe,
} from "../../core/circuit.js";
import type { Delivery, Gate, OpenCircuit, Subscription } from "../../core/model.js";
import { withTick } from "../../core/ticks.js";
import { attemptMessage, sendWhenDue } from "../delivery/announce.js";
import type { ParkedEntry } from "../ports.js";
import { movedOnly, type TickContext, type TickStep } from "./tick-context.js";

/** Parked deliveries that are looked at together, and how many such pages at the most: see {@link parkedPages}. */
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
  const found = await someCandidate(context, subscription, nowMs);
  const mayProbe = found !== null && (!found.isLastAttempt || lastAttemptProbeAtMs(circuit) <= nowMs);
  const probing = mayProbe ? startProbe(gate, found.delivery.deliveryId, nowMs) : null;
  // Nobody to probe with: what comes along is the probe, or a later tick finds somebody.
  if (found === null || probing === null) {
    return wait(nowMs + cooldownMs(circuit.openedAtMs, subscription.circuit, nowMs, context.random));
  }
  return {
    next: withTick(probing, probeOverAtMs(probing, nowMs), by),
    send: () => sendWhenDue(context, attemptMessage(found.delivery, nowMs)),
  };
}

/** A parked delivery to probe with. Those whose own retry is not due yet are left alone. */
async function someCandidate(
  context: TickContext,
  subscription: Subscription,
  nowMs: number,
): Promise<ProbeCandidate | null> {
  const { policy } = subscription;
  let best: ProbeCandidate | null = null;
  for await (const page of parkedPages(context, subscription, nowMs)) {
    const due = page.filter(({ status, nextAttemptAtMs }) => status === "parked" && (nextAttemptAtMs ?? 0) <= nowMs);
    best = probeCandidate(best === null ? due : [best.delivery, ...due], policy, nowMs);
    if (best !== null && isBestCandidate(best, policy)) break;
  }
  return best;
}

/**
 * The list is in the order of receipt: first come those that have time left, then those whose wait is not over, then all,
 * among them replays, whose time budget does not begin with the receipt.
 */
async function* parkedPages(
  context: TickContext,
  { subscriptionId, policy }: Subscription,
  nowMs: number,
): AsyncGenerator<readonly Delivery[]> {
  const { parked, deliveries } = context;
  const { maxAgeSeconds } = policy;
  const receivedSince = (leftMs: number) => (maxAgeSeconds === null ? [] : [nowMs - maxAgeSeconds * 1000 + leftMs]);
  // A time of receipt, a position in the list, or its beginning.
  const places: (number | string | null)[] = [...receivedSince(probeRoomMs(policy)), ...receivedSince(0), null];
  for (let [place, pages] = [places.shift(), 0]; place !== undefined && pages < mostPages; pages++) {
    const entries: readonly ParkedEntry[] =
      typeof place === "number"
        ? await parked.parkedSince(subscriptionId, place, candidatePage)
        : await parked.parkedAfter(subscriptionId, place, candidatePage);
    if (entries.length > 0) yield await deliveries.findDeliveries(entries.map(({ deliveryId }) => deliveryId));
    place = entries.length < candidatePage ? places.shift() : (entries.at(-1) as ParkedEntry).position;
  }
}

/** Sends the probe's message again: the function that started the probe may have died before. */
export async function repeatProbe(context: TickContext, gate: Gate): Promise<void> {
  const probe = gate.circuit === undefined ? undefined : liveProbe(gate.circuit, context.now());
  if (probe === undefined) return;
  const [delivery] = await context.deliveries.findDeliveries([probe.deliveryId]);
  if (delivery?.status === "parked") await sendWhenDue(context, attemptMessage(delivery, context.now()));
}
