import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RetryPolicy, Schedule } from "../../functions/core/model.js";
import {
  computedDelaySeconds,
  decideNext,
  longestDelaySeconds,
  nextAttemptAt,
  worthAnotherAttempt,
} from "../../functions/core/policy.js";
import { presets } from "../../functions/core/presets.js";
import { aPolicy } from "../support/builders.js";
import { seededRandom } from "../support/virtual-clock.js";

const nowMs = Date.UTC(2026, 0, 1, 12);

const draws = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const seconds = fc.double({ min: 0.001, max: longestDelaySeconds, noNaN: true });
const schedules: fc.Arbitrary<Schedule> = fc.oneof(
  fc.record({ kind: fc.constantFrom("exponential", "linear", "fixed"), baseSeconds: seconds }),
  fc.record({ kind: fc.constant("table" as const), delaysSeconds: fc.array(seconds, { minLength: 1, maxLength: 12 }) }),
);
const policies: fc.Arbitrary<RetryPolicy> = fc
  .record({
    schedule: schedules,
    capSeconds: fc.option(seconds),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    maxAttempts: fc.integer({ min: 1, max: 1000 }),
    maxAgeSeconds: fc.option(seconds),
    rules: fc.constantFrom("strict", "lenient"),
    retryAfterCapSeconds: seconds,
  })
  .map((overrides) => aPolicy(overrides));
const failures = fc.record({
  attemptsMade: fc.integer({ min: 1, max: 1000 }),
  retryAfterSeconds: fc.option(fc.double({ min: 0.001, max: Number.MAX_SAFE_INTEGER, noNaN: true })),
  draw: draws,
});

describe("the computed delay", () => {
  it("is 0 before the first attempt", () => {
    expect(computedDelaySeconds(presets.default, 0, () => 0.9)).toBe(0);
  });

  it("takes the first table entry before attempt 2 and repeats the last one", () => {
    const policy = aPolicy({ schedule: { kind: "table", delaysSeconds: [1, 2, 3] } });
    expect([1, 2, 3, 4, 400].map((made) => computedDelaySeconds(policy, made, () => 0))).toEqual([1, 2, 3, 3, 3]);
  });

  it("caps before jitter, so that delays at the cap are spread too", () => {
    const policy = aPolicy({ schedule: { kind: "fixed", baseSeconds: 500 }, capSeconds: 100, jitter: 0.2 });
    expect(computedDelaySeconds(policy, 1, () => 0)).toBe(80);
    expect(computedDelaySeconds(policy, 1, () => 0.75)).toBeCloseTo(110);
  });

  it("caps a table only when the policy says so", () => {
    const schedule: Schedule = { kind: "table", delaysSeconds: [7200] };
    expect(computedDelaySeconds(aPolicy({ schedule, capSeconds: null }), 1, () => 0)).toBe(7200);
    expect(computedDelaySeconds(aPolicy({ schedule, capSeconds: 3600 }), 1, () => 0)).toBe(3600);
  });

  it("stays within the band around schedule and cap, finite and never negative", () => {
    fc.assert(
      fc.property(policies, failures, (policy, { attemptsMade, draw }) => {
        const centre = computedDelaySeconds({ ...policy, jitter: 0 }, attemptsMade, () => draw);
        const delay = computedDelaySeconds(policy, attemptsMade, () => draw);
        expect(centre).toBeLessThanOrEqual(policy.capSeconds ?? longestDelaySeconds);
        expect(Number.isFinite(delay)).toBe(true);
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(Math.abs(delay - centre)).toBeLessThanOrEqual(centre * (policy.jitter + 1e-12));
      }),
    );
  });

  it("has the unjittered delay as its mean", () => {
    const random = seededRandom(1);
    const policy = aPolicy({ schedule: { kind: "fixed", baseSeconds: 100 }, jitter: 0.5 });
    const drawn = Array.from({ length: 20_000 }, () => computedDelaySeconds(policy, 1, random));
    expect(drawn.reduce((sum, delay) => sum + delay, 0) / drawn.length).toBeCloseTo(100, 0);
  });
});

describe("the next attempt's due time", () => {
  it("is the delay after now, to the millisecond", () => {
    const next = nextAttemptAt(aPolicy(), { attemptsMade: 1, retryAfterSeconds: null, nowMs, random: () => 0.5 });
    expect(next).toEqual({ delaySeconds: 10, dueAtMs: nowMs + 10_000, retryAfterClamped: false });
  });

  it("follows Retry-After instead of the schedule, and cuts it to its own cap", () => {
    const policy = aPolicy({ retryAfterCapSeconds: 300 });
    const at = (retryAfterSeconds: number) =>
      nextAttemptAt(policy, { attemptsMade: 1, retryAfterSeconds, nowMs, random: () => 0 });
    expect(at(2)).toMatchObject({ delaySeconds: 2, retryAfterClamped: false });
    expect(at(300)).toMatchObject({ delaySeconds: 300, retryAfterClamped: false });
    expect(at(9_999_999_999)).toMatchObject({ delaySeconds: 300, retryAfterClamped: true });
  });

  it("falls back to the schedule when Retry-After is zero or negative", () => {
    for (const retryAfterSeconds of [0, -1]) {
      const failure = { attemptsMade: 1, retryAfterSeconds, nowMs, random: () => 0.5 };
      expect(nextAttemptAt(aPolicy(), failure).delaySeconds).toBe(10);
    }
  });

  it("is never earlier than Retry-After asked, and never beyond its cap plus jitter", () => {
    fc.assert(
      fc.property(policies, failures, (policy, { attemptsMade, retryAfterSeconds, draw }) => {
        fc.pre(retryAfterSeconds !== null);
        const honoured = Math.min(retryAfterSeconds ?? 0, policy.retryAfterCapSeconds);
        const next = nextAttemptAt(policy, { attemptsMade, retryAfterSeconds, nowMs, random: () => draw });
        // Half a millisecond: due times are whole milliseconds.
        expect(next.dueAtMs - nowMs).toBeGreaterThanOrEqual(honoured * 1000 - 0.5);
        expect(next.dueAtMs - nowMs).toBeLessThanOrEqual(honoured * 1000 * (1 + policy.jitter) + 0.5);
      }),
    );
  });

  it("is never in the past, and says the same as its delay", () => {
    fc.assert(
      fc.property(policies, failures, (policy, { draw, ...failure }) => {
        const next = nextAttemptAt(policy, { ...failure, nowMs, random: () => draw });
        expect(next.dueAtMs).toBeGreaterThanOrEqual(nowMs);
        expect(Number.isSafeInteger(next.dueAtMs)).toBe(true);
        expect(next.dueAtMs - nowMs).toBeCloseTo(next.delaySeconds * 1000, 3);
      }),
    );
  });
});

describe("10,000 deliveries that fail at one instant", () => {
  /** The largest share of them that one second holds. */
  function fullestSecond(retryAfterSeconds: number | null): number {
    const random = seededRandom(7);
    const perSecond = new Map<number, number>();
    for (let delivery = 0; delivery < 10_000; delivery++) {
      const { dueAtMs } = nextAttemptAt(presets.default, { attemptsMade: 1, retryAfterSeconds, nowMs, random });
      const second = Math.floor(dueAtMs / 1000);
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
    }
    return Math.max(...perSecond.values()) / 10_000;
  }

  // The default band is 12 s wide in both cases (40% of 30 s, 20% of 60 s): an even spread is 8.3% a second.
  it("come back spread over the band of the default policy", () => {
    expect(fullestSecond(null)).toBeLessThan(0.1);
  });

  it("come back spread over a band above a Retry-After of 60 s", () => {
    expect(fullestSecond(60)).toBeLessThan(0.1);
  });

  it("come back spread when all of them hit the Retry-After cap", () => {
    expect(fullestSecond(86_400)).toBeLessThan(0.01);
  });
});

describe("whether another attempt is worth it", () => {
  it("counts an unknown outcome against the maximum, and retries below it", () => {
    const policy = aPolicy({ maxAttempts: 3 });
    expect(worthAnotherAttempt(policy, { outcome: "unknown", attemptsMade: 2 })).toEqual({ worth: true });
    expect(worthAnotherAttempt(policy, { outcome: "unknown", attemptsMade: 3 })).toEqual({
      worth: false,
      reason: "exhausted",
    });
  });

  it("names a permanent refusal as such on the last attempt too", () => {
    expect(worthAnotherAttempt(aPolicy({ maxAttempts: 1 }), { outcome: "permanent", attemptsMade: 1 })).toEqual({
      worth: false,
      reason: "permanent",
    });
  });
});

describe("what follows an attempt", () => {
  const last = { attemptsMade: 1, retryAfterSeconds: null, receivedAtMs: nowMs, nowMs, random: () => 0.5 };

  it("is nothing after a success, whatever else is known", () => {
    expect(decideNext(aPolicy({ maxAttempts: 1 }), { ...last, outcome: "delivered", retryAfterSeconds: 60 })).toEqual({
      kind: "done",
    });
  });

  it("is a dead letter when Retry-After leads beyond the time budget", () => {
    const policy = aPolicy({ maxAgeSeconds: 100 });
    expect(decideNext(policy, { ...last, outcome: "retryable", retryAfterSeconds: 100 }).kind).toBe("retry");
    expect(decideNext(policy, { ...last, outcome: "retryable", retryAfterSeconds: 101 })).toEqual({
      kind: "dead_letter",
      reason: "max_age",
    });
  });

  it("is never a retry after a final outcome, at the maximum or beyond the time budget", () => {
    const outcomes = fc.constantFrom("delivered", "retryable", "permanent", "unknown");
    fc.assert(
      fc.property(policies, failures, outcomes, fc.nat(10 ** 9), (policy, { draw, ...failure }, outcome, ageMs) => {
        const receivedAtMs = nowMs - ageMs;
        const next = decideNext(policy, { ...failure, outcome, receivedAtMs, nowMs, random: () => draw });
        expect(next.kind === "done").toBe(outcome === "delivered");
        if (next.kind !== "retry") return;
        expect(["retryable", "unknown"]).toContain(outcome);
        expect(failure.attemptsMade).toBeLessThan(policy.maxAttempts);
        const budgetMs = policy.maxAgeSeconds === null ? Number.POSITIVE_INFINITY : policy.maxAgeSeconds * 1000;
        expect(next.dueAtMs - receivedAtMs).toBeLessThanOrEqual(budgetMs);
      }),
    );
  });
});
