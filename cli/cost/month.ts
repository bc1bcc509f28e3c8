import type { Assumptions } from "./assumptions.js";
import type { EventSize } from "./counted.js";
import { hoursPerMonth, idleMonth } from "./idle.js";
import { kept } from "./kept.js";
import { times, type Usage } from "./usage.js";
import {
  accepted,
  attemptOfMany,
  deliveredFirst,
  failedFirst,
  fannedOut,
  lastFailed,
  mostAttempts,
  parked,
  probed,
  probesOf,
  retryFailed,
  retrySucceeded,
} from "./use-cases.js";

/** What a relay does in a month. */
export interface Workload {
  readonly events: number;
  readonly size: EventSize;
  /** Share of attempts that fail, each for itself, 0 to 1; the outage is beside it. */
  readonly failureRate: number;
  /** Subscriptions that each event goes to. */
  readonly fanOut: number;
  /** Hours in which every destination is down, in one piece. */
  readonly outageHours: number;
}

export interface MonthPart {
  readonly name: string;
  /** How often it happens in the month; 1 for what is there anyway. */
  readonly count: number;
  /** Of all of it. */
  readonly usage: Usage;
}

/** A month by use case, the idle relay's own costs last. Events come evenly, through the outage too. */
export function monthOf(workload: Workload, assumed: Assumptions): readonly MonthPart[] {
  const { events, size, failureRate, fanOut, outageHours } = workload;
  const deliveries = events * fanOut;
  const waiting = deliveries * Math.min(1, outageHours / hoursPerMonth);
  const attempted = deliveries - waiting;
  /** Deliveries that reach their attempt of this number. */
  const reaching = (attempt: number) => attempted * failureRate ** (attempt - 1);
  const retries = Array.from({ length: mostAttempts - 1 }, (_value, index) => reaching(index + 2));
  const retried = retries.reduce((total, count) => total + count, 0);
  const lastFailures = reaching(mostAttempts) * failureRate;
  const of = stepsOf(fanOut, size, assumed);
  const parts: ReadonlyArray<readonly [name: string, count: number, each: Usage]> = [
    ["accepted", events, accepted(size, assumed)],
    ["fanned out", fanOut > 1 ? events : 0, fannedOut(fanOut, size, assumed)],
    ["delivered at once", attempted * (1 - failureRate), of.delivered],
    ["first attempt fails", attempted * failureRate, of.failed],
    ["retry succeeds", retried * (1 - failureRate), retrySucceeded(size, assumed)],
    ["retry fails", retried * failureRate - lastFailures, retryFailed(size, assumed)],
    ["last attempt fails: dead letter", lastFailures, lastFailed(size, assumed)],
    ["parked and released", waiting, of.parked],
    ["probes of the outage", probesOf(outageHours), probed(size, assumed)],
    ["kept", events, kept(size, fanOut, assumed)],
    ["idle", 1, idleMonth(assumed)],
  ];
  return parts
    .filter(([, count]) => count > 0)
    .map(([name, count, each]) => ({ name, count, usage: times(each, count) }));
}

/** First attempts: with the event in their message, or with one that was fanned out. */
function stepsOf(fanOut: number, size: EventSize, assumed: Assumptions) {
  if (fanOut > 1) {
    return {
      delivered: attemptOfMany("delivered", size, assumed),
      failed: attemptOfMany("failed", size, assumed),
      parked: parked(size, assumed, attemptOfMany("parkedOpen", size, assumed)),
    };
  }
  return {
    delivered: deliveredFirst(size, assumed),
    failed: failedFirst(size, assumed),
    parked: parked(size, assumed),
  };
}
