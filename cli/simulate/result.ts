import { type Arrivals, backlogOf } from "./arrivals.js";
import { type Costs, costsOf } from "./costs.js";
import type { Run } from "./run.js";
import { recoverySecond, type Scenario, shortestDrainSeconds } from "./scenario.js";
import { quantile, sumOf } from "./timeline.js";

/** What a policy came to in a scenario: whole numbers where something is counted. */
export interface Result {
  readonly events: number;
  readonly delivered: number;
  readonly deadLetters: number;
  readonly deadLetterReasons: Readonly<Record<string, number>>;
  /** Neither: still waiting when the play ended. */
  readonly open: number;
  readonly attempts: {
    readonly made: number;
    /** Of them, to the dead or overloaded destination. */
    readonly wasted: number;
    /** Per delivery of an event that was received during the outage. */
    readonly mean: number;
    readonly p99: number;
    readonly max: number;
  };
  readonly recovery: {
    /** Events received during the outage. */
    readonly backlog: number;
    /** Until the last event that was received before the recovery has ended; null: not all of them have. */
    readonly drainSeconds: number | null;
    /** Of that and backlog ÷ spare capacity; null without a backlog, too. */
    readonly drainFactor: number | null;
    /** Until then: requests in the busiest second, and in all but the busiest hundredth. */
    readonly peakPerSecond: number;
    readonly p99PerSecond: number;
    readonly refused: number;
    /** Refused requests by those made, and by deliveries released; the latter null where nothing is parked. */
    readonly refusedOfRequests: number;
    readonly refusedOfReleased: number | null;
  };
  /** Age of the oldest delivery when it was delivered. */
  readonly oldestSeconds: number;
  readonly costs: Costs;
}

export function resultOf(scenario: Scenario, arrivals: Arrivals, run: Run): Result {
  const { requests, wasted } = run.timeline;
  const events = arrivals.atMs.length;
  const reasons = Object.entries(run.dead).map(([reason, count]) => [reason, Math.round(count)] as const);
  const delivered = Math.round(run.delivered);
  const deadLetters = reasons.reduce((sum, [, count]) => sum + count, 0);
  return {
    events,
    delivered,
    deadLetters,
    deadLetterReasons: Object.fromEntries(reasons),
    open: Math.max(0, events - delivered - deadLetters),
    attempts: {
      made: Math.round(sumOf(requests)),
      wasted: Math.round(sumOf(wasted)),
      ...spreadOf(run.attemptsOfOutage),
    },
    recovery: recoveryOf(scenario, arrivals, run),
    oldestSeconds: run.oldestSeconds,
    costs: costsOf(run.steps, events),
  };
}

function recoveryOf(scenario: Scenario, arrivals: Arrivals, run: Run): Result["recovery"] {
  const { timeline, steps, drainedAtSecond } = run;
  const backlog = backlogOf(arrivals);
  const from = recoverySecond(scenario);
  const to = drainedAtSecond === null ? timeline.requests.length : Math.ceil(drainedAtSecond);
  const perSecond = timeline.requests.slice(from, to);
  const refused = sumOf(timeline.wasted, from, to);
  const requests = sumOf(perSecond);
  const drainSeconds = drainedAtSecond === null ? null : drainedAtSecond - from;
  return {
    backlog,
    drainSeconds,
    drainFactor: drainSeconds === null || backlog === 0 ? null : drainSeconds / shortestDrainSeconds(scenario, backlog),
    peakPerSecond: Math.round(perSecond.reduce((most, each) => Math.max(most, each), 0)),
    p99PerSecond: Math.round(quantile(perSecond, 0.99)),
    refused: Math.round(refused),
    refusedOfRequests: requests === 0 ? 0 : refused / requests,
    refusedOfReleased: steps.released === 0 ? null : refused / steps.released,
  };
}

/** Mean, 99th percentile and largest of what is counted by its value. */
function spreadOf(counts: readonly number[]): Pick<Result["attempts"], "mean" | "p99" | "max"> {
  const all = sumOf(counts);
  if (all === 0) return { mean: 0, p99: 0, max: 0 };
  let [sum, weighed] = [0, 0];
  for (const [value, count] of counts.entries()) weighed += value * count;
  const p99 = counts.findIndex((count) => {
    sum += count;
    return sum >= 0.99 * all;
  });
  let [max, tail] = [counts.length, 0];
  // Half of one is the least that counts as one: cohorts are no whole numbers.
  while (max > 0 && tail < 0.5) {
    max -= 1;
    tail += counts[max] as number;
  }
  return { mean: weighed / all, p99, max };
}
