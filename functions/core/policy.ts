import type { DeadLetterReason, Outcome, RetryPolicy, Schedule } from "./model.js";

/**
 * The retry decision as two separate questions, after "Webhook Retry Best Practices": is it worth another attempt at
 * all ({@link worthAnotherAttempt}), and if so, when ({@link nextAttemptAt}). Time and randomness are arguments.
 */

/** Uniform in [0, 1). */
type Random = () => number;

/** Longest delay that any schedule yields, 365 days: 2^n grows beyond every calendar otherwise. */
export const longestDelaySeconds = 365 * 86_400;

/** What is known when an attempt has failed. */
export interface FailureTiming {
  /** Attempts made so far, the failed one included; 0: none yet. */
  readonly attemptsMade: number;
  /** The delay that the destination asked for, parsed; null when absent or invalid. */
  readonly retryAfterSeconds: number | null;
  readonly nowMs: number;
  readonly random: Random;
}

/** When the next attempt is due. */
export interface NextAttempt {
  /** The planned delay, jitter included, to the millisecond. */
  readonly delaySeconds: number;
  readonly dueAtMs: number;
  /** True when `retryAfterCapSeconds` shortened what the destination asked for. */
  readonly retryAfterClamped: boolean;
}

/** What follows a recorded attempt. */
export type Decision =
  | ({ readonly kind: "retry" } & NextAttempt)
  | { readonly kind: "dead_letter"; readonly reason: DeadLetterReason }
  | { readonly kind: "done" };

/** Within which seconds a delay lies: every draw gives one of at least `earliestSeconds` and below `latestSeconds`. */
export interface DelayBand {
  readonly earliestSeconds: number;
  /** Without jitter, which is also the mean. */
  readonly nominalSeconds: number;
  readonly latestSeconds: number;
  /** True when the cap (or the longest delay that there is) shortened what the schedule says. */
  readonly capped: boolean;
}

/**
 * The computed delay after `attemptsMade` attempts before anything is drawn: the schedule, then the cap, then jitter
 * (± the fraction), so that delays at the cap are spread too. All 0 before the first attempt.
 */
export function delayBand({ schedule, capSeconds, jitter }: RetryPolicy, attemptsMade: number): DelayBand {
  const scheduled = attemptsMade < 1 ? 0 : scheduledSeconds(schedule, attemptsMade);
  const nominalSeconds = Math.min(scheduled, capSeconds ?? longestDelaySeconds);
  return {
    earliestSeconds: jittered(nominalSeconds, jitter, 0),
    nominalSeconds,
    latestSeconds: jittered(nominalSeconds, jitter, 1),
    capped: nominalSeconds < scheduled,
  };
}

const jittered = (seconds: number, jitter: number, draw: number): number => seconds * (1 + jitter * (2 * draw - 1));

/** Seconds to wait after `attemptsMade` attempts: uniform in its {@link delayBand}. 0 before the first attempt. */
export function computedDelaySeconds(policy: RetryPolicy, attemptsMade: number, random: Random): number {
  if (attemptsMade < 1) return 0;
  return jittered(delayBand(policy, attemptsMade).nominalSeconds, policy.jitter, random());
}

/** Seconds to wait when the destination asked for `askedSeconds` (> 0): cut to the cap, and jitter only adds. */
export const askedDelaySeconds = (policy: RetryPolicy, askedSeconds: number, random: Random): number =>
  Math.min(askedSeconds, policy.retryAfterCapSeconds) * (1 + policy.jitter * random());

/** The schedule alone. A table's last entry repeats. */
function scheduledSeconds(schedule: Schedule, n: number): number {
  switch (schedule.kind) {
    case "exponential":
      return schedule.baseSeconds * 2 ** (n - 1);
    case "linear":
      return schedule.baseSeconds * n;
    case "fixed":
      return schedule.baseSeconds;
    case "table":
      return schedule.delaysSeconds[Math.min(n, schedule.delaysSeconds.length) - 1] ?? longestDelaySeconds;
    default:
      return assertNever(schedule);
  }
}

/**
 * Is another attempt worth it? Only after a failure that may pass, and only below `maxAttempts`. An `unknown` outcome
 * (the function died after the claim) may pass, and has used up one attempt.
 */
export function worthAnotherAttempt(
  policy: RetryPolicy,
  last: { readonly outcome: Outcome; readonly attemptsMade: number },
): { readonly worth: true } | { readonly worth: false; readonly reason: DeadLetterReason } {
  if (last.outcome === "permanent") return { worth: false, reason: "permanent" };
  if (last.attemptsMade >= policy.maxAttempts) return { worth: false, reason: "exhausted" };
  return { worth: true };
}

/**
 * When is the next attempt due? `Retry-After` replaces the computed delay. It is cut to `retryAfterCapSeconds` first;
 * jitter is added after that and only adds (0 to `jitter` of the value), so that the destination is never asked
 * earlier than it said, and deliveries that hit the cap together do not come back together.
 */
export function nextAttemptAt(policy: RetryPolicy, failure: FailureTiming): NextAttempt {
  const { retryAfterSeconds, attemptsMade, nowMs, random } = failure;
  const asked = retryAfterSeconds !== null && retryAfterSeconds > 0 ? retryAfterSeconds : null;
  const seconds =
    asked === null ? computedDelaySeconds(policy, attemptsMade, random) : askedDelaySeconds(policy, asked, random);
  const delayMs = Math.round(seconds * 1000);
  return {
    delaySeconds: delayMs / 1000,
    dueAtMs: nowMs + delayMs,
    retryAfterClamped: asked !== null && asked > policy.retryAfterCapSeconds,
  };
}

/**
 * Both questions in a row, plus the total time budget: a next attempt that would be due later than `maxAgeSeconds`
 * after the event's receipt is not made.
 */
export function decideNext(
  policy: RetryPolicy,
  last: FailureTiming & { readonly outcome: Outcome; readonly receivedAtMs: number },
): Decision {
  if (last.outcome === "delivered") return { kind: "done" };
  const verdict = worthAnotherAttempt(policy, last);
  if (!verdict.worth) return { kind: "dead_letter", reason: verdict.reason };
  const next = nextAttemptAt(policy, last);
  if (policy.maxAgeSeconds !== null && next.dueAtMs > last.receivedAtMs + policy.maxAgeSeconds * 1000) {
    return { kind: "dead_letter", reason: "max_age" };
  }
  return { kind: "retry", ...next };
}

function assertNever(value: never): never {
  throw new Error(`unknown schedule kind: ${JSON.stringify(value)}`);
}
