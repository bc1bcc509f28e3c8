import { resolveSubscription } from "../../functions/app/admin/definitions.js";
import { isPassable } from "../../functions/core/gate.js";
import type { Gate, Subscription } from "../../functions/core/model.js";
import { type MadeRequest, type RecordedAttempt, recordsOf, requestsOf } from "./attempts-made.js";
import type { GateEntry } from "./gate-history.js";
import { openingProblems } from "./opening-invariants.js";
import { rateProblems } from "./rate-invariants.js";
import type { Run } from "./scenario.js";
import { waitProblems } from "./wait-invariants.js";

/** Everything about one subscription's gate in a run. */
export interface GateCase {
  readonly run: Run;
  readonly subscription: Subscription;
  readonly history: readonly GateEntry[];
  /** Each with how it got through the gate. */
  readonly requests: readonly PassedRequest[];
  readonly records: readonly RecordedAttempt[];
}

export interface PassedRequest extends MadeRequest {
  readonly passage: "open" | "probe" | "none";
}

const defaults = { policyPreset: "default", connectSeconds: 15, readSeconds: 60 };

/** What gates promise, checked over a whole run. */
export function gateProblems(run: Run): string[] {
  const [requests, records] = [requestsOf(run), recordsOf(run)];
  const { subscriptions, gates } = run.relay.config;
  return [...subscriptions.values()].flatMap(({ record }) => {
    const subscription = resolveSubscription(record, defaults);
    const { subscriptionId } = subscription;
    const history = gates.of(subscriptionId);
    const passed = (requests.get(subscriptionId) ?? []).map((request) => ({
      ...request,
      passage: passageOf(run, subscription, request),
    }));
    const found = { run, subscription, history, requests: passed, records: records.get(subscriptionId) ?? [] };
    return [
      ...movedBack(found),
      ...passedClosedGate(found),
      ...overlappingProbes(found),
      ...closedWithoutProbe(found),
      ...openingProblems(found),
      ...rateProblems(found),
      ...waitProblems(found),
    ].map((problem) => `${subscriptionId}: ${problem}`);
  });
}

/** Clocks are off by up to a second. */
export const skewMs = 1_000;
/** A gate is believed for a second, and between its read and the claim there are some calls. */
const cacheMs = 1_000;
const callsMs = 600;
/** With a rate, a slot is waited for on the spot. */
const slotWaitMs = 1_000;

/** What the gate was for the request, at some moment at which it may have been read. */
function passageOf(
  { relay }: Run,
  { subscriptionId, maxPerSecond }: Subscription,
  request: MadeRequest,
): PassedRequest["passage"] {
  const { claimedAtMs, webhookId } = request;
  const fromMs = claimedAtMs - cacheMs - callsMs - (maxPerSecond === null ? 0 : slotWaitMs);
  const states = relay.config.gates.between(subscriptionId, fromMs, claimedAtMs).map(({ gate }) => gate);
  if (states.some((gate) => isPassable(gate, claimedAtMs + skewMs))) return "open";
  return states.some((gate) => isProbing(gate, webhookId, fromMs, claimedAtMs)) ? "probe" : "none";
}

function isProbing(gate: Gate, deliveryId: string, fromMs: number, toMs: number): boolean {
  const { status, circuit, heldUntilMs = 0 } = gate;
  if (status !== "active" || circuit?.probe?.deliveryId !== deliveryId) return false;
  return circuit.probe.untilMs > fromMs - skewMs && heldUntilMs <= toMs + skewMs;
}

/** A gate's generation and its ticks only count up: whoever writes it has read what is stored. */
function movedBack({ history }: GateCase): string[] {
  return history.flatMap(({ gate, atMs }, index) => {
    const before = history[index - 1]?.gate;
    if (before === undefined) return [];
    const isBack = gate.generation < before.generation || (gate.tick?.seq ?? 0) < (before.tick?.seq ?? 0);
    const isSilent = gate.generation === before.generation && gate.status !== before.status;
    return isBack || isSilent ? [`its gate went back at ${timeOf(atMs)}`] : [];
  });
}

function passedClosedGate({ requests }: GateCase): string[] {
  return requests
    .filter(({ passage }) => passage === "none")
    .map(({ webhookId, attempt, startedAtMs }) => {
      return `attempt ${attempt} of ${webhookId} at ${timeOf(startedAtMs)} passed a closed gate`;
    });
}

function overlappingProbes({ requests }: GateCase): string[] {
  const probes = requests
    .filter(({ passage }) => passage === "probe")
    .toSorted((a, b) => a.startedAtMs - b.startedAtMs);
  return probes.flatMap((probe, index) => {
    const before = probes[index - 1];
    const isOver = before === undefined || (before.endedAtMs ?? Number.POSITIVE_INFINITY) <= probe.startedAtMs;
    return isOver ? [] : [`two probes at a time at ${timeOf(probe.startedAtMs)}`];
  });
}

/** A circuit closes by what its own probe came to, or by an operator. */
function closedWithoutProbe({ history, records }: GateCase): string[] {
  return history.flatMap(({ gate, atMs }, index) => {
    const before = history[index - 1]?.gate;
    const closed = before?.circuit !== undefined && gate.circuit === undefined && gate.status === "active";
    if (!closed || before.status !== "active") return [];
    const { probe, probedAtMs = 0 } = before.circuit;
    const result = records.findLast((record) => record.deliveryId === probe?.deliveryId && record.atMs <= atMs);
    const isIts = result !== undefined && result.atMs > probedAtMs - 2 * skewMs;
    const mayClose = result?.attempt.outcome === "delivered" || result?.attempt.outcome === "permanent";
    return isIts && mayClose ? [] : [`its circuit closed without a probe at ${timeOf(atMs)}`];
  });
}

export const timeOf = (ms: number): string => new Date(ms).toISOString().slice(11);
