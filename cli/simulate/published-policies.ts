import type { RetryPolicy } from "../../functions/core/model.js";
import { presets } from "../../functions/core/presets.js";

/**
 * Models of policies that others have published, as of August 2026, and the naive one. They are schedules of retries and
 * nothing else: no limit of concurrency, no disabling of endpoints, no dead-letter replay.
 */
export interface PublishedPolicy {
  readonly policy: RetryPolicy;
  /** Added to every delay, evenly from 0 to this, where the jitter is no fraction of the delay. */
  readonly addedSeconds: number;
  readonly timeoutSeconds: number;
  /** What is published. */
  readonly published: string;
  /** What is not known of it, and assumed here; null: nothing. */
  readonly assumed: string | null;
}

const [minute, hour] = [60, 3_600];

const policyOf = (own: Partial<RetryPolicy>): RetryPolicy => ({
  ...presets.default,
  capSeconds: null,
  jitter: 0,
  rules: "lenient",
  ...own,
});

/** By the names that `--compare` takes. */
export const publishedPolicies: Readonly<Record<string, PublishedPolicy>> = {
  svix: {
    policy: policyOf({
      schedule: { kind: "table", delaysSeconds: [5, 5 * minute, 30 * minute, ...[2, 5, 10, 10].map((h) => h * hour)] },
      maxAttempts: 8,
      jitter: 0.2,
    }),
    addedSeconds: 0,
    timeoutSeconds: 30,
    published: "5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 10 h; 8 attempts; jitter ±20%; timeout 30 s",
    assumed: null,
  },
  outpost: {
    policy: policyOf({ schedule: { kind: "exponential", baseSeconds: 30 }, maxAttempts: 11 }),
    addedSeconds: 0,
    timeoutSeconds: 5,
    published: "30 s doubling; 11 attempts; no jitter; timeout 5 s",
    assumed: null,
  },
  convoy: {
    policy: policyOf({ schedule: { kind: "fixed", baseSeconds: 100 }, maxAttempts: 10 }),
    addedSeconds: 5,
    timeoutSeconds: 10,
    published: "linear or exponential, per project; 10 attempts; jitter +0-5 s; timeout 10 s",
    assumed: "linear as it is by default: 100 s each time",
  },
  hook0: {
    policy: policyOf({
      schedule: {
        kind: "table",
        delaysSeconds: [3, 10, 3 * minute, 30 * minute, ...[1, 3, 5, 10].map((hours) => hours * hour)],
      },
      maxAttempts: 25,
      maxAgeSeconds: 8 * 24 * hour,
    }),
    addedSeconds: 5,
    timeoutSeconds: 20,
    published: "3 s, 10 s, 3 m, 30 m, 1 h, 3 h, 5 h, then 10 h; 25 attempts or 8 days; additive jitter; timeout 20 s",
    assumed: "jitter of 0-5 s: how much is not known",
  },
  eventbridge: {
    policy: policyOf({
      schedule: { kind: "exponential", baseSeconds: 1 },
      capSeconds: 512,
      jitter: 0.2,
      maxAttempts: 185,
      maxAgeSeconds: 24 * hour,
    }),
    addedSeconds: 0,
    timeoutSeconds: 5,
    published: "API destinations: exponential with jitter; 185 attempts or 24 h; timeout 5 s",
    assumed: "1 s doubling up to 512 s, so that 24 h hold about 170 attempts, and jitter ±20%: neither is published",
  },
  naive: {
    policy: policyOf({ schedule: { kind: "fixed", baseSeconds: 30 }, maxAttempts: Number.MAX_SAFE_INTEGER }),
    addedSeconds: 0,
    timeoutSeconds: 30,
    published: "what is written first: every 30 s, no jitter, until it works; timeout 30 s",
    assumed: null,
  },
};
