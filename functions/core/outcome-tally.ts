import type { CircuitSettings, OutcomeCounts } from "./model.js";

/**
 * Counts outcomes of one subscription in one environment, so that the gate is written at most once a second and only
 * when there are failures to tell of, or a known count to reset. Counting is per attempt.
 */
export interface OutcomeTally {
  /** The gate's generation in which the attempts were started. */
  readonly generation: number;
  /** Attempts and failures that the gate does not know of yet, and since when they are gathered. */
  readonly attempts: number;
  readonly failures: number;
  readonly sinceMs: number;
  /** Failures since the last success that this environment has seen, of those that the gate does not know of. */
  readonly trailing: number;
  /** A success came since the last write: what the gate counted before it is over. */
  readonly hadSuccess: boolean;
  /** The gate's own count, as far as it is known here. */
  readonly knownInARow: number;
  readonly writtenAtMs: number;
  /** Successes in the second that began at `secondMs`, and in the one before. */
  readonly secondMs: number;
  readonly successes: number;
  readonly successesBefore: number;
}

/** `delivered` is a success, `retryable` a failure; a refusal for good, or an outcome that nobody knows, is neither. */
export type CircuitSign = "success" | "failure";

/** The least time between two writes of one environment. */
const writeEveryMs = 1_000;
const secondMs = 1_000;
export const minuteMs = 60_000;

export function newTally(generation: number, counts: OutcomeCounts | undefined, nowMs: number): OutcomeTally {
  return {
    generation,
    attempts: 0,
    failures: 0,
    sinceMs: nowMs,
    trailing: 0,
    hadSuccess: false,
    knownInARow: counts?.inARow ?? 0,
    writtenAtMs: Number.NEGATIVE_INFINITY,
    secondMs: nowMs,
    successes: 0,
    successesBefore: 0,
  };
}

/** The tally after one more outcome. */
export function tallied(tally: OutcomeTally, sign: CircuitSign, nowMs: number): OutcomeTally {
  const current = inSecond(withoutOld(tally, nowMs), nowMs);
  const attempts = current.attempts + 1;
  if (sign === "failure") {
    return { ...current, attempts, failures: current.failures + 1, trailing: current.trailing + 1 };
  }
  return { ...current, attempts, trailing: 0, hadSuccess: true, successes: current.successes + 1 };
}

/** What was gathered for longer than a minute belongs to no minute that anybody looks at. */
function withoutOld(tally: OutcomeTally, nowMs: number): OutcomeTally {
  const isOld = nowMs - tally.sinceMs >= minuteMs && tally.failures === 0;
  return isOld ? { ...tally, attempts: 0, sinceMs: nowMs } : tally;
}

function inSecond(tally: OutcomeTally, nowMs: number): OutcomeTally {
  const ageMs = nowMs - tally.secondMs;
  if (ageMs >= 0 && ageMs < secondMs) return tally;
  const successesBefore = ageMs >= 0 && ageMs < 2 * secondMs ? tally.successes : 0;
  return { ...tally, secondMs: nowMs, successes: 0, successesBefore };
}

/** True when the gate should be told: of failures, or of the success that ends a count. */
export function isWorthWriting(tally: OutcomeTally, settings: CircuitSettings, nowMs: number): boolean {
  const tells = tally.failures > 0 || (tally.hadSuccess && tally.knownInARow > 0);
  if (!tells) return false;
  const sinceWriteMs = nowMs - tally.writtenAtMs;
  return sinceWriteMs >= writeEveryMs || sinceWriteMs < 0 || isTooManyInARow(inARow(tally), tally, settings, nowMs);
}

/** Failures in a row, those that the gate knows of included. */
export const inARow = ({ hadSuccess, knownInARow, trailing }: OutcomeTally): number =>
  (hadSuccess ? 0 : knownInARow) + trailing;

/**
 * True when so many failures in a row open the circuit: the threshold, and no fewer than there were successes in the
 * second or two before. A destination that refuses what is above its rate has short rows among its successes; that is
 * a matter of pace.
 */
export function isTooManyInARow(
  count: number,
  tally: OutcomeTally,
  { failureThreshold }: CircuitSettings,
  nowMs: number,
): boolean {
  const { successes, successesBefore } = inSecond(tally, nowMs);
  return count >= Math.max(failureThreshold, successes + successesBefore);
}

/** True when so large a share of a minute's attempts failed that the circuit opens. */
export function failsByRate(counts: OutcomeCounts, { failureRate, minimumAttempts }: CircuitSettings): boolean {
  if (failureRate === null || counts.minuteAttempts < minimumAttempts) return false;
  return counts.minuteFailures / counts.minuteAttempts >= failureRate;
}

/** What the gate counts once it knows the tally; `counts` belong to the tally's generation. */
export function countedWith(counts: OutcomeCounts | undefined, tally: OutcomeTally, nowMs: number): OutcomeCounts {
  const minute = Math.floor(nowMs / minuteMs);
  const sameMinute = counts?.minute === minute;
  return {
    inARow: (tally.hadSuccess ? 0 : (counts?.inARow ?? 0)) + tally.trailing,
    failures: (counts?.failures ?? 0) + tally.failures,
    attempts: (counts?.attempts ?? 0) + tally.attempts,
    minute,
    minuteAttempts: (sameMinute ? counts.minuteAttempts : 0) + tally.attempts,
    minuteFailures: (sameMinute ? counts.minuteFailures : 0) + tally.failures,
  };
}

/** The tally once the gate is told, and counts so many in a row. */
export function written(tally: OutcomeTally, knownInARow: number, nowMs: number): OutcomeTally {
  return {
    ...tally,
    attempts: 0,
    failures: 0,
    sinceMs: nowMs,
    trailing: 0,
    hadSuccess: false,
    knownInARow,
    writtenAtMs: nowMs,
  };
}
