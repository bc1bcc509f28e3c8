import { stateAt } from "./attempts-made.js";
import { type GateCase, timeOf } from "./gate-invariants.js";

/** When a circuit opens, and whom its probes are made with. */
export function openingProblems(found: GateCase): string[] {
  return [...openedTooEarly(found), ...neverOpened(found), ...lastAttemptsSpent(found)];
}

/** From when to when the gate was of one generation, without a circuit. */
function closedCircuits({ history }: GateCase) {
  const spans: { readonly fromMs: number; toMs: number; readonly isActive: boolean; opened: boolean }[] = [];
  let generation: number | undefined;
  for (const { atMs, gate } of history) {
    const last = spans.at(-1);
    if (gate.generation === generation) continue;
    generation = gate.generation;
    if (last !== undefined && last.toMs === Number.POSITIVE_INFINITY) {
      last.toMs = atMs;
      last.opened = gate.circuit !== undefined;
    }
    if (gate.circuit === undefined) {
      spans.push({ fromMs: atMs, toMs: Number.POSITIVE_INFINITY, isActive: gate.status === "active", opened: false });
    }
  }
  return spans;
}

function openedTooEarly(found: GateCase): string[] {
  const { failureThreshold, failureRate, minimumAttempts } = found.subscription.circuit;
  const least = Math.min(failureThreshold, failureRate === null ? failureThreshold : failureRate * minimumAttempts);
  return closedCircuits(found)
    .filter(({ opened }) => opened)
    .flatMap(({ fromMs, toMs }) => {
      const failures = found.records.filter(
        ({ atMs, attempt }) => atMs >= fromMs && atMs <= toMs && attempt.outcome === "retryable",
      );
      return failures.length >= least ? [] : [`opened after ${failures.length} failures at ${timeOf(toMs)}`];
    });
}

/** Calls that are refused lose some of the counts, and what one environment has counted is told once a second. */
const moreThan = (failureThreshold: number): number => 2 * failureThreshold + 30;

function neverOpened(found: GateCase): string[] {
  const { failureThreshold } = found.subscription.circuit;
  return closedCircuits(found)
    .filter(({ isActive }) => isActive)
    .flatMap(({ fromMs, toMs }) => {
      let inARow = 0;
      for (const { atMs, attempt } of found.records) {
        if (atMs < fromMs || atMs > toMs || attempt.outcome === "permanent" || attempt.outcome === "unknown") continue;
        inARow = attempt.outcome === "retryable" ? inARow + 1 : 0;
        if (inARow > moreThan(failureThreshold)) return [`${inARow} failures in a row, and still open to all`];
      }
      return [];
    });
}

/** Parked for so long, a delivery is on the list of those to probe with, and its gate knows of it. */
const knownAfterMs = 10_000;

/** A probe with a last attempt may lose its delivery: it is made only while there is no other to probe with. */
function lastAttemptsSpent({ run, subscription, history }: GateCase): string[] {
  const { subscriptionId, policy } = subscription;
  const isLast = (attemptsStarted: number) => attemptsStarted + 1 >= policy.maxAttempts;
  const own = [...run.relay.ledger.histories.values()].filter(
    (states) => states[0]?.delivery.subscriptionId === subscriptionId,
  );
  return history.flatMap(({ atMs, gate }, index) => {
    const probes = gate.circuit?.probes ?? 0;
    const begun = probes > 0 && probes !== history[index - 1]?.gate.circuit?.probes;
    const probed = gate.circuit?.probe?.deliveryId;
    if (!begun || probed === undefined) return [];
    const states = run.relay.ledger.histories.get(probed) ?? [];
    if (!isLast(stateAt(states, atMs)?.attemptsStarted ?? 0)) return [];
    const other = own.find((each) => {
      const [now, before] = [stateAt(each, atMs), stateAt(each, atMs - knownAfterMs)];
      const isKnown = now?.status === "parked" && before?.status === "parked" && !isLast(now.attemptsStarted);
      return isKnown && (now.nextAttemptAtMs ?? 0) < atMs - knownAfterMs;
    });
    return other === undefined ? [] : [`a last attempt was spent on a probe at ${timeOf(atMs)}`];
  });
}
