import type { DeadLetterReason, RetryPolicy } from "./model.js";
import { askedDelaySeconds, decideNext, delayBand, nextAttemptAt } from "./policy.js";
import { type RetriedAnswers, retriedAnswers } from "./retried-answers.js";

/**
 * What a policy comes to when every attempt fails: its ladder, without a relay. Each number is one of `decideNext`, with
 * the least, the middle and the largest draw. Attempts themselves take no time here, and nothing is parked.
 */

/** Seconds, to the millisecond. */
export interface Band {
  readonly earliestSeconds: number;
  readonly nominalSeconds: number;
  readonly latestSeconds: number;
}

export interface PreviewAttempt {
  readonly number: number;
  /** Before it. */
  readonly delay: Band;
  /** From the event's receipt; `nominalSeconds` is null when `maxAgeSeconds` ends a delivery without luck before it. */
  readonly at: Omit<Band, "nominalSeconds"> & { readonly nominalSeconds: number | null };
  /** The cap shortened its delay. */
  readonly capped: boolean;
  /** False: only where jitter came out short, `maxAgeSeconds` leaves time for it. */
  readonly certain: boolean;
}

/** When a delivery that always fails becomes a dead letter: as soon as its last attempt has failed. */
export interface PreviewEnd extends Band {
  readonly reasons: readonly DeadLetterReason[];
  readonly leastAttempts: number;
  readonly mostAttempts: number;
}

export interface PolicyPreview {
  readonly attempts: readonly PreviewAttempt[];
  readonly end: PreviewEnd;
  /** First attempt whose delay the cap shortens; null: none within the attempts that are made. */
  readonly cappedFromAttempt: number | null;
  /** Entries of a table that no attempt reaches. */
  readonly unreachedDelaysSeconds: readonly number[];
  /** What keeps attempts from reaching them: raise this one; null where none is left. */
  readonly unreachedBecause: "maxAttempts" | "maxAgeSeconds" | null;
  /** The longest wait that a Retry-After can cause, jitter included. */
  readonly longestRetryAfterSeconds: number;
  readonly answers: RetriedAnswers;
}

/** Previews a policy that has no problems (`policyProblems`). */
export function previewPolicy(policy: RetryPolicy): PolicyPreview {
  const walks = { earliest: walk(policy, 0), nominal: walk(policy, 0.5), latest: walk(policy, 1) };
  const attempts = walks.earliest.atMs.map((_, index) => attemptOf(policy, walks, index));
  const { schedule } = policy;
  const unreached = schedule.kind === "table" ? schedule.delaysSeconds.slice(attempts.length - 1) : [];
  return {
    attempts,
    end: endOf(policy, walks, attempts),
    cappedFromAttempt: attempts.find(({ capped }) => capped)?.number ?? null,
    unreachedDelaysSeconds: unreached,
    unreachedBecause:
      unreached.length === 0 ? null : walks.earliest.reason === "max_age" ? "maxAgeSeconds" : "maxAttempts",
    longestRetryAfterSeconds: toMilliseconds(askedDelaySeconds(policy, policy.retryAfterCapSeconds, () => 1)),
    answers: retriedAnswers(policy),
  };
}

/** One way of a delivery that always fails: when each attempt is made, and why there is no further one. */
interface Walk {
  readonly atMs: readonly number[];
  readonly reason: DeadLetterReason;
}

interface Walks {
  readonly earliest: Walk;
  readonly nominal: Walk;
  readonly latest: Walk;
}

/** A draw of 1 is the limit that no draw reaches: the end of the band. */
function walk(policy: RetryPolicy, draw: number): Walk {
  const atMs = [0];
  for (;;) {
    const nowMs = atMs.at(-1) ?? 0;
    const decision = decideNext(policy, {
      ...failure(atMs.length, nowMs, draw),
      outcome: "retryable",
      receivedAtMs: 0,
    });
    if (decision.kind !== "retry") return { atMs, reason: decision.kind === "done" ? "exhausted" : decision.reason };
    atMs.push(decision.dueAtMs);
  }
}

const failure = (attemptsMade: number, nowMs: number, draw: number) => ({
  attemptsMade,
  retryAfterSeconds: null,
  nowMs,
  random: () => draw,
});

function attemptOf(policy: RetryPolicy, walks: Walks, index: number): PreviewAttempt {
  const seconds = (ms: number | undefined): number | null => (ms === undefined ? null : ms / 1000);
  const latest = seconds(walks.latest.atMs[index]);
  return {
    number: index + 1,
    delay: delayOf(policy, index),
    at: {
      earliestSeconds: seconds(walks.earliest.atMs[index]) ?? 0,
      nominalSeconds: seconds(walks.nominal.atMs[index]),
      // Only the time budget ends one way before another: no attempt is made after it.
      latestSeconds: latest ?? toMilliseconds(policy.maxAgeSeconds ?? 0),
    },
    capped: delayBand(policy, index).capped,
    certain: latest !== null,
  };
}

function delayOf(policy: RetryPolicy, attemptsMade: number): Band {
  const delay = (draw: number) =>
    attemptsMade < 1 ? 0 : nextAttemptAt(policy, failure(attemptsMade, 0, draw)).delaySeconds;
  return { earliestSeconds: delay(0), nominalSeconds: delay(0.5), latestSeconds: delay(1) };
}

function endOf(policy: RetryPolicy, walks: Walks, attempts: readonly PreviewAttempt[]): PreviewEnd {
  const exhausted = walks.earliest.reason === "exhausted";
  return {
    reasons: [
      ...(exhausted ? (["exhausted"] as const) : []),
      ...(walks.latest.reason === "max_age" ? (["max_age"] as const) : []),
    ],
    leastAttempts: walks.latest.atMs.length,
    mostAttempts: attempts.length,
    earliestSeconds: earliestEnd(policy, walks),
    nominalSeconds: (walks.nominal.atMs.at(-1) ?? 0) / 1000,
    latestSeconds: attempts.at(-1)?.at.latestSeconds ?? 0,
  };
}

/**
 * A delivery ends by its time budget as soon as its next delay would lead beyond it: the longer that delay, the earlier.
 * Only attempts after which some way ends are looked at.
 */
function earliestEnd(policy: RetryPolicy, { earliest, latest }: Walks): number {
  const budget = policy.maxAgeSeconds;
  const ends = earliest.atMs.slice(latest.atMs.length - 1).map((atMs, index, { length }) => {
    const made = latest.atMs.length + index;
    if (budget === null || index === length - 1) return atMs / 1000;
    return Math.max(atMs / 1000, toMilliseconds(budget - delayOf(policy, made).latestSeconds));
  });
  return Math.min(...ends);
}

const toMilliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000;
