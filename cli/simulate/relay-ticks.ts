import {
  cooldownMs,
  isBestCandidate,
  lastAttemptProbeAtMs,
  liveProbe,
  type ProbeCandidate,
  probeCandidate,
  probeRoomMs,
  startProbe,
} from "../../functions/core/circuit.js";
import { releasesParked } from "../../functions/core/gate.js";
import type { CircuitSettings, Gate, OpenCircuit, RetryPolicy } from "../../functions/core/model.js";
import {
  afterPage,
  afterPass,
  continuedRelease,
  keepsLastAttempt,
  nextPageAtMs,
  pageSize,
} from "../../functions/core/release.js";
import { isGoing, withTick } from "../../functions/core/ticks.js";
import type { Deliveries } from "./deliveries.js";

/** What one tick does: the gate after it, and what it sends to its next attempt. */
export interface TickResult {
  readonly next: Gate;
  readonly probe: number | null;
  readonly released: readonly number[];
}

export interface TickRules {
  readonly policy: RetryPolicy;
  readonly circuit: CircuitSettings;
  readonly maxPerSecond: number | null;
  readonly random: () => number;
}

/** Parked deliveries that are looked at for a probe, and how many such pages. */
const candidatePage = 100;
const mostPages = 10;
/** After a probe's lease. */
const afterLeaseMs = 1_000;

/** The sweeper function's step: a probe of an open circuit, or a page of a release. */
export function tick(gate: Gate, deliveries: Deliveries, rules: TickRules, nowMs: number): TickResult {
  if (releasesParked(gate, nowMs)) return releaseStep(gate, deliveries, rules, nowMs);
  return gate.circuit === undefined
    ? none(withTick(gate, null))
    : probeStep(gate, gate.circuit, deliveries, rules, nowMs);
}

const none = (next: Gate): TickResult => ({ next, probe: null, released: [] });

function releaseStep(gate: Gate, deliveries: Deliveries, rules: TickRules, nowMs: number): TickResult {
  const { maxPerSecond } = rules;
  const release = continuedRelease(gate, nowMs);
  const size = pageSize(gate, release, maxPerSecond, nowMs);
  const nextMs = nextPageAtMs(gate, maxPerSecond, nowMs);
  if (size === 0) return none(withTick({ ...gate, release }, nextMs));
  const parked = deliveries.parkedAfter(release.after === null ? null : Number(release.after), size);
  const last = parked.at(-1);
  if (last === undefined) return none(afterPass(gate, release, nowMs));
  const released = parked.filter((index) => !keepsLastAttempt({ release }, deliveries.asDelivery(index), rules.policy));
  // What is let go is attempted at once: there is no queue that could be behind.
  const letGo = released.length;
  const paged = afterPage(release, { last: String(last), size: parked.length, letGo, sentAtOnce: letGo });
  return { next: withTick({ ...gate, release: paged }, nextMs), probe: null, released };
}

function probeStep(
  gate: Gate,
  circuit: OpenCircuit,
  deliveries: Deliveries,
  rules: TickRules,
  nowMs: number,
): TickResult {
  const underWay = liveProbe(circuit, nowMs);
  if (underWay !== undefined) return none(withTick(gate, underWay.untilMs + afterLeaseMs));
  if (circuit.probeAtMs > nowMs) return none(withTick(gate, circuit.probeAtMs));
  const found = someCandidate(deliveries, rules, nowMs);
  const mayProbe = found !== null && (!found.isLastAttempt || lastAttemptProbeAtMs(circuit) <= nowMs);
  const probing = mayProbe ? startProbe(gate, found.delivery.deliveryId, nowMs) : null;
  if (found === null || probing === null) {
    return none(withTick(gate, nowMs + cooldownMs(circuit.openedAtMs, rules.circuit, nowMs, rules.random)));
  }
  const untilMs = probing.circuit?.probe?.untilMs ?? nowMs;
  return { next: withTick(probing, untilMs + afterLeaseMs), probe: Number(found.delivery.deliveryId), released: [] };
}

/** As the relay looks for one: first among those that have time left, then among those whose wait is not over, then all. */
function someCandidate(deliveries: Deliveries, { policy }: TickRules, nowMs: number): ProbeCandidate | null {
  const { maxAgeSeconds } = policy;
  const withLeft = (leftMs: number) =>
    maxAgeSeconds === null ? [] : [deliveries.lastReceivedBefore(nowMs - maxAgeSeconds * 1000 + leftMs)];
  const ways = [...withLeft(probeRoomMs(policy)), ...withLeft(0), null];
  let best: ProbeCandidate | null = null;
  for (let [after, pages] = [ways.shift(), 0]; after !== undefined && pages < mostPages; pages += 1) {
    const entries: readonly number[] = deliveries.parkedAfter(after, candidatePage);
    const due = entries.filter((index) => (deliveries.nextAttemptAtMs(index) ?? 0) <= nowMs);
    const looked = due.map((index) => deliveries.asDelivery(index));
    best = probeCandidate(best === null ? looked : [best.delivery, ...looked], policy, nowMs);
    if (best !== null && isBestCandidate(best, policy)) break;
    after = entries.length < candidatePage ? ways.shift() : (entries.at(-1) as number);
  }
  return best;
}

/** The sweeper sets a release going again that left something: once more from the beginning, with one pass. */
export function sweptGate(gate: Gate, nowMs: number): Gate {
  if (!gate.holdsParked || isGoing(gate, nowMs) || !releasesParked(gate, nowMs)) return gate;
  if (gate.release?.endedAtMs === undefined) return withTick(gate, nowMs);
  const { endedAtMs: _again, ...release } = gate.release;
  const again = { ...release, startedAtMs: nowMs, released: 0, from: null, after: null, sent: 0, lastPass: true };
  return withTick({ ...gate, release: again }, nowMs);
}
