import { isPassable } from "../../functions/core/gate.js";
import { type GateCase, skewMs, timeOf } from "./gate-invariants.js";
import type { Entry } from "./ledger.js";

/** How long deliveries stay parked. */
export function waitProblems(found: GateCase): string[] {
  const { run, subscription } = found;
  const own = [...run.relay.ledger.histories.values()].filter(
    (states) => states[0]?.delivery.subscriptionId === subscription.subscriptionId,
  );
  return own.flatMap((history) => [
    ...outlived(found, history),
    ...(run.isCalm && subscription.maxPerSecond === null ? leftBehind(found, history) : []),
  ]);
}

/** Sweeps come every five minutes. While they die in the middle, they come back to an entry later and later. */
const endsWithinMs = 15 * 60_000;
/** The longest time after which a sweep comes back to an entry. */
const longestStepMs = 4 * 3_600_000;

/** A wait ends by its time budget: no attempt is begun after it, and somebody sees to its end. */
function outlived({ run }: GateCase, history: readonly Entry[]): string[] {
  return history.flatMap(({ delivery }, index) => {
    const next = history[index + 1];
    if (delivery.status !== "parked" || delivery.parkedUntilMs === null || next === undefined) return [];
    const { isCalm, relay } = run;
    const byMs = isCalm ? delivery.parkedUntilMs : Math.max(delivery.parkedUntilMs, relay.settings.healthyFromMs);
    const isOutlived = next.atMs > byMs + (isCalm ? 0 : longestStepMs) + endsWithinMs;
    const isLate = next.delivery.status === "attempting" && next.atMs - delivery.parkedUntilMs > 2 * skewMs;
    if (isLate) return [`${delivery.deliveryId} was attempted after its wait was over`];
    return isOutlived ? [`${delivery.deliveryId} outlived its wait`] : [];
  });
}

/** Where nothing is lost a release comes at once: the sweeper would come later than that. */
const releasedWithinMs = 3 * 60_000;

function leftBehind({ history: gates }: GateCase, history: readonly Entry[]): string[] {
  return history.flatMap(({ atMs, delivery }, index) => {
    if (delivery.status !== "parked") return [];
    const untilMs = history[index + 1]?.atMs ?? Number.POSITIVE_INFINITY;
    const fromMs = Math.max(atMs, delivery.nextAttemptAtMs ?? 0);
    const open = gates.flatMap(({ atMs: sinceMs, gate }, at) => {
      const from = Math.max(fromMs, sinceMs, gate.heldUntilMs ?? 0);
      const to = Math.min(untilMs, gates.slice(at).find((each) => !isPassable(each.gate, from))?.atMs ?? untilMs);
      return isPassable(gate, from) && to - from > releasedWithinMs ? [from] : [];
    });
    return open.length === 0
      ? []
      : [`${delivery.deliveryId} stayed parked at an open gate from ${timeOf(open[0] ?? 0)}`];
  });
}
