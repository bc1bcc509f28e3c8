import type { RetryPolicy } from "../../functions/core/model.js";
import { delayBand, longestDelaySeconds, worthAnotherAttempt } from "../../functions/core/policy.js";

/** A schedule of retries without a circuit, as {@link playCohorts} plays it. */
export interface Ladder {
  /** Earliest and latest delay after so many attempts; null: there is no further one. */
  delayAfter(attemptsMade: number): DelaySeconds | null;
  /** Why there is none. */
  endsBy(attemptsMade: number): "exhausted" | "max_age";
  /** Seconds from receipt to an attempt, without jitter. */
  nominalAgeSeconds(attempt: number): number;
  readonly longestDelaySeconds: number;
  readonly hasJitter: boolean;
  /** The delay where it is the same after every attempt, without jitter and without an end; else null. */
  readonly everyDelaySeconds: number | null;
  /** When a request that gets no answer is given up. */
  readonly timeoutSeconds: number;
}

export interface DelaySeconds {
  readonly earliestSeconds: number;
  readonly latestSeconds: number;
}

/** What a ladder is made of. */
interface Rungs {
  readonly policy: RetryPolicy;
  /** Seconds that are added to every delay, evenly from 0 to this; 0 where the jitter is the policy's own. */
  readonly addedSeconds: number;
  readonly timeoutSeconds: number;
}

/**
 * The delays of the relay's own retry decision, least and largest draw. A time budget counts without jitter here: what is
 * due later than that on average is not made.
 */
export function ladderOf({ policy, addedSeconds, timeoutSeconds }: Rungs): Ladder {
  const delays: (DelaySeconds | null)[] = [];
  const ages: number[] = [0, 0];
  const nominalAge = (attempt: number): number => {
    for (let each = ages.length; each <= attempt; each += 1) {
      const { nominalSeconds } = delayBand(policy, each - 1);
      ages.push((ages[each - 1] as number) + nominalSeconds + addedSeconds / 2);
    }
    return ages[attempt] as number;
  };
  const isWorth = (attemptsMade: number) => worthAnotherAttempt(policy, { outcome: "retryable", attemptsMade }).worth;
  const delayAfter = (attemptsMade: number): DelaySeconds | null => {
    if (!isWorth(attemptsMade) || nominalAge(attemptsMade + 1) > (policy.maxAgeSeconds ?? Number.POSITIVE_INFINITY)) {
      return null;
    }
    const { earliestSeconds, latestSeconds } = delayBand(policy, attemptsMade);
    return { earliestSeconds, latestSeconds: latestSeconds + addedSeconds };
  };
  const longest = Math.round(longestOf(policy) + addedSeconds);
  const hasJitter = policy.jitter > 0 || addedSeconds > 0;
  const isEndless = policy.maxAttempts === Number.MAX_SAFE_INTEGER && policy.maxAgeSeconds === null;
  return {
    delayAfter: (attemptsMade) => {
      for (let made = delays.length; made <= attemptsMade; made += 1) delays.push(made === 0 ? null : delayAfter(made));
      return delays[attemptsMade] as DelaySeconds | null;
    },
    endsBy: (attemptsMade) => (isWorth(attemptsMade) ? "max_age" : "exhausted"),
    nominalAgeSeconds: nominalAge,
    longestDelaySeconds: longest,
    hasJitter,
    everyDelaySeconds: !hasJitter && isEndless && policy.schedule.kind === "fixed" ? Math.max(1, longest) : null,
    timeoutSeconds,
  };
}

/** The last delay of a schedule that does not shrink, within so many attempts as anybody waits for. */
function longestOf(policy: RetryPolicy): number {
  const most = Math.min(policy.maxAttempts, 1_000);
  const delays = Array.from({ length: most }, (_, index) => delayBand(policy, index + 1).latestSeconds);
  return Math.min(longestDelaySeconds, Math.max(0, ...(most < policy.maxAttempts ? delays : delays.slice(0, -1))));
}
