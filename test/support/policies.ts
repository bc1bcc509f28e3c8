import fc from "fast-check";
import type { RetryPolicy, Schedule } from "../../functions/core/model.js";
import { longestDelaySeconds } from "../../functions/core/policy.js";
import { aPolicy } from "./builders.js";

const seconds = fc.double({ min: 0.001, max: longestDelaySeconds, noNaN: true });
const schedules: fc.Arbitrary<Schedule> = fc.oneof(
  fc.record({ kind: fc.constantFrom("exponential", "linear", "fixed"), baseSeconds: seconds }),
  fc.record({ kind: fc.constant("table" as const), delaysSeconds: fc.array(seconds, { minLength: 1, maxLength: 12 }) }),
);
const code = fc.integer({ min: 300, max: 599 });

/** Any policy of few attempts that has no problem of its own ranges; retryOn and neverRetry never name the same code. */
export const anyPolicy: fc.Arbitrary<RetryPolicy> = fc
  .record({
    schedule: schedules,
    capSeconds: fc.option(seconds),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    maxAttempts: fc.integer({ min: 1, max: 40 }),
    // As long as the delays, or there would be nothing to cut.
    maxAgeSeconds: fc.option(fc.double({ min: 0.001, max: 4 * longestDelaySeconds, noNaN: true })),
    rules: fc.constantFrom("strict", "lenient"),
    retryAfterCapSeconds: seconds,
    retryOn: fc.array(code, { maxLength: 4 }),
    neverRetry: fc.array(code, { maxLength: 4 }),
    disableOnGone: fc.boolean(),
  })
  .map(({ neverRetry, ...policy }) =>
    aPolicy({ ...policy, neverRetry: neverRetry.filter((each) => !policy.retryOn.includes(each)) }),
  );
