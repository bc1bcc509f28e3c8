import type { Timeline } from "./timeline.js";

/** What a policy did in a scenario, as it was counted. Counts of cohorts are expected values, no whole numbers. */
export interface Run {
  readonly timeline: Timeline;
  readonly delivered: number;
  /** Deliveries that ended undelivered, by reason. */
  readonly dead: Readonly<Record<string, number>>;
  /** Events received during the outage, by the number of attempts with which they ended; index 0: none. */
  readonly attemptsOfOutage: readonly number[];
  /** When the last event that was received before the recovery ended, in seconds; null: not all of them have. */
  readonly drainedAtSecond: number | null;
  /** Age of the oldest delivery when it was delivered, in seconds. */
  readonly oldestSeconds: number;
  readonly steps: Steps;
}

/** How often each step was made that costs something on this relay. */
export interface Steps {
  readonly firstSucceeded: number;
  readonly firstFailed: number;
  readonly retrySucceeded: number;
  readonly retryFailed: number;
  readonly lastFailed: number;
  readonly parked: number;
  readonly releasedSucceeded: number;
  /** Deliveries that were let go, and the ticks that did it. */
  readonly released: number;
  readonly ticks: number;
}

export const noSteps: Steps = {
  firstSucceeded: 0,
  firstFailed: 0,
  retrySucceeded: 0,
  retryFailed: 0,
  lastFailed: 0,
  parked: 0,
  releasedSucceeded: 0,
  released: 0,
  ticks: 0,
};
