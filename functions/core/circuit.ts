import { budgetEnd } from "./delivery.js";
import { nextGeneration } from "./gate.js";
import type { CircuitSettings, Delivery, Gate, OpenCircuit, Outcome, RetryPolicy } from "./model.js";

/**
 * The circuit of a gate: closed, open, or half open while one probe is under way. Opening and closing are new
 * generations of the gate, so that late results and ticks of the one before change nothing.
 */

export type CircuitState = "closed" | "open" | "half_open";

/** The state as it is shown. A probe that is waited for in vain is none. */
export function circuitState({ circuit }: Pick<Gate, "circuit">, nowMs: number): CircuitState {
  if (circuit === undefined) return "closed";
  return liveProbe(circuit, nowMs) === undefined ? "open" : "half_open";
}

/** The probe under way, if there is one. */
export function liveProbe({ probe }: OpenCircuit, nowMs: number): OpenCircuit["probe"] {
  return probe !== undefined && probe.untilMs > nowMs ? probe : undefined;
}

/** The part of the time open after which the destination is asked again: the longer an outage, the rarer the probes. */
const cooldownShare = 0.05;
/** ± this fraction: destinations that went down together are not asked together. */
const cooldownJitter = 0.2;

/** Milliseconds from one probe to the next: 5% of the time open, within the settings' limits, jittered. */
export function cooldownMs(openedAtMs: number, settings: CircuitSettings, nowMs: number, random: () => number): number {
  const shareMs = Math.max(0, nowMs - openedAtMs) * cooldownShare;
  const limitedMs = Math.min(Math.max(shareMs, settings.cooldownSeconds * 1000), settings.maxCooldownSeconds * 1000);
  return Math.round(limitedMs * (1 + cooldownJitter * (2 * random() - 1)));
}

/** Opens a closed circuit. What the destination has asked for holds for its probes, too. */
export function openCircuit(gate: Gate, settings: CircuitSettings, nowMs: number, random: () => number): Gate {
  const probeAtMs = nowMs + cooldownMs(nowMs, settings, nowMs, random);
  const circuit: OpenCircuit = { openedAtMs: nowMs, probeAtMs, probes: 0, refusedProbes: 0 };
  const held = gate.heldUntilMs === undefined ? {} : { heldUntilMs: gate.heldUntilMs };
  return { ...nextGeneration(gate, { status: "active", statusReason: null }, nowMs), circuit, ...held };
}

/** How long a probe's outcome is waited for: a full invocation, and its message's way through a busy queue. */
export const probeLeaseMs = 3 * 60_000;

/** Makes a delivery's next attempt the probe; null when another is under way, or it is too early for one. */
export function startProbe(gate: Gate, deliveryId: string, nowMs: number): Gate | null {
  const { circuit } = gate;
  if (gate.status !== "active" || circuit === undefined) return null;
  if (liveProbe(circuit, nowMs) !== undefined || circuit.probeAtMs > nowMs) return null;
  const before = circuit.probedAtMs === undefined ? {} : { probedBeforeAtMs: circuit.probedAtMs };
  const probe = { deliveryId, untilMs: nowMs + leaseOf(circuit, deliveryId), ...before };
  return { ...gate, circuit: { ...circuit, probe, probes: circuit.probes + 1, probedAtMs: nowMs } };
}

/**
 * A probe that was waited for in vain is most likely on its way through a backlog, in which each further one is only a
 * copy: it is waited for twice as long.
 */
function leaseOf({ probe, probedAtMs }: OpenCircuit, deliveryId: string): number {
  const isAgain = probe?.deliveryId === deliveryId && probedAtMs !== undefined;
  return isAgain ? 2 * (probe.untilMs - probedAtMs) : probeLeaseMs;
}

/** True when the delivery's attempt is the probe that is under way. */
export function isProbe(gate: Gate, deliveryId: string, nowMs: number): boolean {
  return (
    gate.status === "active" && gate.circuit !== undefined && liveProbe(gate.circuit, nowMs)?.deliveryId === deliveryId
  );
}

/**
 * Gives back the probe of a delivery that ended before its attempt: it was none, and the next one may be made at once.
 * Null when it is not this circuit's probe.
 */
export function returnProbe(gate: Gate, deliveryId: string): Gate | null {
  const { circuit } = gate;
  if (circuit?.probe?.deliveryId !== deliveryId) return null;
  const { probe, probedAtMs: _notMade, ...rest } = circuit;
  const before = probe.probedBeforeAtMs === undefined ? {} : { probedAtMs: probe.probedBeforeAtMs };
  return { ...gate, circuit: { ...rest, ...before, probes: circuit.probes - 1 } };
}

/** The probe under way, kept for its delivery at least until `untilMs`: by then its attempt is over. */
export function extendProbe(gate: Gate, untilMs: number): Gate {
  const { circuit } = gate;
  if (circuit?.probe === undefined || circuit.probe.untilMs >= untilMs) return gate;
  return { ...gate, circuit: { ...circuit, probe: { ...circuit.probe, untilMs } } };
}

/** A tick comes a moment after the end of a probe's lease. */
const afterLeaseMs = 1_000;

/** When a probe that nothing was heard of is over. */
export function probeOverAtMs({ circuit }: Gate, nowMs: number): number {
  return (circuit?.probe?.untilMs ?? nowMs) + afterLeaseMs;
}

/** After as many probes in a row that were answered and refused for good, the destination is believed to be back. */
const refusedProbesToClose = 3;

/**
 * What a probe's outcome makes of the circuit; null when it is not this circuit's probe. A delivery closes it. A
 * failure is one cooldown more. A permanent refusal says that somebody answers, not that anybody is at work (a 404
 * while the destination is being deployed): the next delivery is tried soon, and only several in a row are believed.
 */
export function settleProbe(
  gate: Gate,
  { deliveryId, outcome }: { readonly deliveryId: string; readonly outcome: Outcome },
  settings: CircuitSettings,
  nowMs: number,
  random: () => number,
): Gate | null {
  const { circuit } = gate;
  if (circuit === undefined || circuit.probe?.deliveryId !== deliveryId) return null;
  const refusedProbes = outcome === "permanent" ? circuit.refusedProbes + 1 : 0;
  if (outcome === "delivered" || refusedProbes >= refusedProbesToClose) return closeCircuit(gate, nowMs);
  const { probe: _over, ...rest } = circuit;
  const sinceMs = outcome === "permanent" ? nowMs : circuit.openedAtMs;
  return {
    ...gate,
    circuit: { ...rest, refusedProbes, probeAtMs: nowMs + cooldownMs(sinceMs, settings, nowMs, random) },
  };
}

/**
 * Ends a probe that went to a destination which has been replaced meanwhile: whatever came of it, the present one is
 * asked at once. Null when it is not this circuit's probe.
 */
export function dropProbe(gate: Gate, deliveryId: string, nowMs: number): Gate | null {
  const { circuit } = gate;
  if (circuit === undefined || circuit.probe?.deliveryId !== deliveryId) return null;
  const { probe: _over, ...rest } = circuit;
  return { ...gate, circuit: { ...rest, refusedProbes: 0, probeAtMs: nowMs } };
}

/**
 * Closes the circuit: everything may pass again. Something is taken to be parked, whatever was known of it: were the tick
 * of the release lost, the sweeper would not look at a gate that holds nothing. A release that finds nothing ends it.
 */
export function closeCircuit(gate: Gate, nowMs: number): Gate {
  return {
    ...nextGeneration(gate, { status: gate.status, statusReason: gate.statusReason }, nowMs),
    holdsParked: true,
  };
}

/** How long a probe's message may be under way without being late. */
const probeWayMs = 60_000;

/** The time that a delivery needs to have left to be probed with: a minute, or half of a short time budget. */
export function probeRoomMs({ maxAgeSeconds }: Pick<RetryPolicy, "maxAgeSeconds">): number {
  return maxAgeSeconds === null ? probeWayMs : Math.min(probeWayMs, (maxAgeSeconds * 1000) / 2);
}

/** A parked delivery to probe with. */
export interface ProbeCandidate {
  readonly delivery: Delivery;
  readonly isLastAttempt: boolean;
  /** Milliseconds until its wait is over: then it would make no attempt, and be no probe. */
  readonly leftMs: number;
  /** There is time enough for its message, however busy the queue is. */
  readonly hasRoom: boolean;
}

/**
 * The parked delivery to probe with. One on its last attempt only when there is no other: should the probe fail, it is
 * lost. Of the others one that has time left: with the fewest attempts, so that probes rotate, and of these the one that
 * waits for longest. Where all are nearly over, the one that has the most time.
 */
export function probeCandidate(
  parked: readonly Delivery[],
  policy: Pick<RetryPolicy, "maxAttempts" | "maxAgeSeconds">,
  nowMs: number,
): ProbeCandidate | null {
  const roomMs = probeRoomMs(policy);
  const candidates = parked.flatMap((delivery) => {
    const leftMs = Math.min(delivery.parkedUntilMs ?? Number.POSITIVE_INFINITY, budgetEnd(delivery, policy)) - nowMs;
    const isLastAttempt = delivery.attemptsStarted + 1 >= policy.maxAttempts;
    return leftMs <= 0 ? [] : [{ delivery, isLastAttempt, leftMs, hasRoom: leftMs >= roomMs }];
  });
  return candidates.toSorted(byUse)[0] ?? null;
}

function byUse(a: ProbeCandidate, b: ProbeCandidate): number {
  if (a.isLastAttempt !== b.isLastAttempt) return a.isLastAttempt ? 1 : -1;
  if (a.hasRoom !== b.hasRoom) return a.hasRoom ? -1 : 1;
  if (!a.hasRoom) return b.leftMs - a.leftMs;
  return a.delivery.attemptsStarted - b.delivery.attemptsStarted || a.delivery.receivedAtMs - b.delivery.receivedAtMs;
}

/**
 * True when no other parked delivery can be a better one to probe with. Where there is only one attempt, each is on its
 * last.
 */
export function isBestCandidate(
  { hasRoom, isLastAttempt }: ProbeCandidate,
  { maxAttempts }: Pick<RetryPolicy, "maxAttempts">,
): boolean {
  return hasRoom && (!isLastAttempt || maxAttempts === 1);
}

/** When a tick is so late that its probe is left to whoever comes along. */
const tickLateMs = 30_000;

/**
 * True when a delivery that comes along may be the probe: nothing is parked that a tick could take, a tick has been there
 * and found none to take (the next one comes after the time of the probe), or it is late.
 */
export function isLeftToPassers({ holdsParked, circuit, tick }: Gate, nowMs: number): boolean {
  if (circuit === undefined) return false;
  const foundNobody = (tick?.dueAtMs ?? 0) > circuit.probeAtMs;
  return !holdsParked || foundNobody || circuit.probeAtMs + tickLateMs <= nowMs;
}

/** The least that a probe with a last attempt waits for after the opening. */
const firstLastAttemptMs = 60_000;

/**
 * When a probe may be made with a delivery on its last attempt: once the outage has lasted twice as long as at the probe
 * before. Each costs a delivery if it fails, so there are few, and no delivery waits longer than the outage took.
 */
export function lastAttemptProbeAtMs({ openedAtMs, probedAtMs = openedAtMs }: OpenCircuit): number {
  return openedAtMs + Math.max(2 * (probedAtMs - openedAtMs), firstLastAttemptMs);
}
