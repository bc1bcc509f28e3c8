import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classifyStatus } from "../../functions/core/classify.js";
import { ladderRows } from "../../functions/core/ladder-rows.js";
import type { DeadLetterReason, RetryPolicy } from "../../functions/core/model.js";
import { decideNext, delayBand, longestDelaySeconds, nextAttemptAt } from "../../functions/core/policy.js";
import { previewPolicy } from "../../functions/core/policy-preview.js";
import { presets, resolvePolicy } from "../../functions/core/presets.js";
import { positionOn, timeAxis } from "../../functions/core/time-axis.js";
import { aPolicy } from "../support/builders.js";
import { anyPolicy } from "../support/policies.js";

/** A delivery whose attempts all fail at once, by any draws: when each was made, in seconds, and why it ended. */
function fails(policy: RetryPolicy, draws: readonly number[]): { atSeconds: number[]; reason: DeadLetterReason } {
  const atMs = [0];
  for (;;) {
    const nowMs = atMs.at(-1) ?? 0;
    const random = () => draws[atMs.length % draws.length] ?? 0;
    const failure = { attemptsMade: atMs.length, retryAfterSeconds: null, nowMs, random };
    const decision = decideNext(policy, { ...failure, outcome: "retryable", receivedAtMs: 0 });
    if (decision.kind === "done") throw new Error("a failure is not done");
    if (decision.kind === "dead_letter") return { atSeconds: atMs.map((ms) => ms / 1000), reason: decision.reason };
    atMs.push(decision.dueAtMs);
  }
}

const anyDraws = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
  minLength: 1,
  maxLength: 40,
});

/** Half a millisecond: due times are whole milliseconds. */
const rounding = 0.0005;

describe("a policy's preview", () => {
  it("is the ladder of the default preset, with its bands", () => {
    const { attempts, end } = previewPolicy(presets.default);
    expect(attempts.map(({ delay }) => delay.nominalSeconds)).toEqual([0, 30, 60, 120, 240]);
    expect(attempts[1]?.delay).toEqual({ earliestSeconds: 24, nominalSeconds: 30, latestSeconds: 36 });
    expect(attempts[4]?.at).toEqual({ earliestSeconds: 360, nominalSeconds: 450, latestSeconds: 540 });
    expect(end).toEqual({
      reasons: ["exhausted"],
      leastAttempts: 5,
      mostAttempts: 5,
      earliestSeconds: 360,
      nominalSeconds: 450,
      latestSeconds: 540,
    });
  });

  it("contains every delivery that decideNext leads to", () => {
    fc.assert(
      fc.property(anyPolicy, anyDraws, (policy, draws) => {
        const { attempts, end } = previewPolicy(policy);
        const { atSeconds, reason } = fails(policy, draws);
        expect(end.reasons).toContain(reason);
        expect(atSeconds.length).toBeGreaterThanOrEqual(end.leastAttempts);
        expect(atSeconds.length).toBeLessThanOrEqual(end.mostAttempts);
        for (const [index, seconds] of atSeconds.entries()) {
          const { at, delay } = attempts[index] ?? expect.fail("an attempt that is not previewed");
          expect(seconds).toBeGreaterThanOrEqual(at.earliestSeconds);
          expect(seconds).toBeLessThanOrEqual(at.latestSeconds);
          const waited = seconds - (atSeconds[index - 1] ?? 0);
          expect(waited).toBeGreaterThanOrEqual(delay.earliestSeconds - rounding);
          expect(waited).toBeLessThanOrEqual(delay.latestSeconds + rounding);
        }
        const last = atSeconds.at(-1) ?? 0;
        expect(last).toBeGreaterThanOrEqual(end.earliestSeconds - rounding);
        expect(last).toBeLessThanOrEqual(end.latestSeconds);
      }),
      { numRuns: 500 },
    );
  });

  it("names bands that are reached: the least and the largest draw lead to their ends", () => {
    fc.assert(
      fc.property(anyPolicy, (policy) => {
        const { attempts } = previewPolicy({ ...policy, maxAgeSeconds: null });
        const ends = [0, 1 - Number.EPSILON].map((draw) => fails({ ...policy, maxAgeSeconds: null }, [draw]).atSeconds);
        for (const [index, { at }] of attempts.entries()) {
          expect(ends[0]?.[index]).toBe(at.earliestSeconds);
          // The largest draw is not 1.
          expect(ends[1]?.[index]).toBeCloseTo(at.latestSeconds, 1);
        }
      }),
    );
  });

  it("says from which attempt on the cap cuts", () => {
    expect(previewPolicy(presets.default).cappedFromAttempt).toBeNull();
    const long = previewPolicy({ ...presets.default, maxAttempts: 12 });
    expect(long.cappedFromAttempt).toBe(9);
    expect(long.attempts.map(({ capped }) => capped).lastIndexOf(false)).toBe(7);
    const beyondCalendars = { ...presets.default, capSeconds: null, maxAttempts: 40 };
    expect(previewPolicy(beyondCalendars).attempts.at(-1)).toMatchObject({
      capped: true,
      delay: { nominalSeconds: longestDelaySeconds },
    });
  });

  it("says which entries of a table are not reached, and what keeps them from it", () => {
    expect(previewPolicy(presets.hookwatch)).toMatchObject({
      unreachedDelaysSeconds: [600],
      unreachedBecause: "maxAttempts",
    });
    expect(previewPolicy({ ...presets.hookwatch, maxAttempts: 4 })).toMatchObject({
      unreachedDelaysSeconds: [],
      unreachedBecause: null,
    });
    expect(previewPolicy({ ...presets.hookwatch, maxAttempts: 4, maxAgeSeconds: 300 })).toMatchObject({
      unreachedDelaysSeconds: [600],
      unreachedBecause: "maxAgeSeconds",
    });
  });

  it("cuts the ladder at maxAgeSeconds: attempts that are certain, that may be, and none after it", () => {
    const policy = { ...presets.default, maxAttempts: 10, maxAgeSeconds: 450 };
    const { attempts, end } = previewPolicy(policy);
    expect(attempts.map(({ number, certain }) => [number, certain])).toEqual([
      [1, true],
      [2, true],
      [3, true],
      [4, true],
      [5, false],
    ]);
    expect(attempts[4]?.at).toEqual({ earliestSeconds: 360, nominalSeconds: 450, latestSeconds: 450 });
    expect(end).toEqual({
      reasons: ["max_age"],
      leastAttempts: 4,
      mostAttempts: 5,
      // Attempt 5 would be due 288 s after the fourth at most.
      earliestSeconds: 168,
      nominalSeconds: 450,
      latestSeconds: 450,
    });
  });

  it("ends early where only the delay after the next one is too long", () => {
    const schedule = { kind: "table", delaysSeconds: [100, 10, 100_000] } as const;
    const policy = aPolicy({ schedule, jitter: 0.2, maxAttempts: 9, maxAgeSeconds: 130 });
    // Attempt 3 may come at 88 s; attempt 4 never.
    expect(previewPolicy(policy).end).toMatchObject({ leastAttempts: 2, mostAttempts: 3, earliestSeconds: 88 });
    expect(fails(policy, [0]).atSeconds).toEqual([0, 80, 88]);
  });

  it("says how long a Retry-After may keep a delivery", () => {
    expect(previewPolicy(presets.default).longestRetryAfterSeconds).toBe(4320);
  });
});

describe("the band of a delay", () => {
  it("holds what nextAttemptAt draws", () => {
    fc.assert(
      fc.property(anyPolicy, fc.integer({ min: 1, max: 1000 }), anyDraws, (policy, attemptsMade, [draw = 0]) => {
        const band = delayBand(policy, attemptsMade);
        const failure = { attemptsMade, retryAfterSeconds: null, nowMs: 0, random: () => draw };
        const { delaySeconds } = nextAttemptAt(policy, failure);
        expect(delaySeconds).toBeGreaterThanOrEqual(band.earliestSeconds - rounding);
        expect(delaySeconds).toBeLessThanOrEqual(band.latestSeconds + rounding);
        expect(band.nominalSeconds).toBeLessThanOrEqual(policy.capSeconds ?? longestDelaySeconds);
      }),
    );
  });
});

describe("the answers of a preview", () => {
  it("are what classifyStatus says, each code once", () => {
    fc.assert(
      fc.property(anyPolicy, fc.integer({ min: 100, max: 999 }), (policy, code) => {
        const { answers } = previewPolicy(policy);
        const holds = (["delivered", "retried", "never", "disables"] as const).filter((fate) =>
          answers[fate].some(({ from, to }) => code >= from && code <= to),
        );
        const outcome = classifyStatus(policy, code);
        const gone = code === 410 && policy.disableOnGone && !policy.retryOn.includes(410);
        const expected = { delivered: "delivered", retryable: "retried", permanent: "never", unknown: "" }[outcome];
        expect(holds).toEqual([gone ? "disables" : expected]);
      }),
      { numRuns: 50 },
    );
  });

  it("list the typed errors that are retried, and those that are the relay's own", () => {
    const { retriedErrors, neverErrors } = previewPolicy(presets.default).answers;
    expect(neverErrors).toEqual(["blocked_address", "blocked_port", "invalid_header"]);
    expect(retriedErrors).toEqual(expect.arrayContaining(["dns", "refused", "read_timeout", "tls_expired"]));
  });
});

describe("a ladder's lines", () => {
  const lines = (policy: RetryPolicy) =>
    ladderRows(previewPolicy(policy).attempts).map((row) =>
      row.kind === "attempt" ? row.attempt.number : [row.first.number, row.last.number, row.sameDelay],
    );

  it("are all attempts while they are few", () => {
    expect(lines(presets["standard-webhooks"])).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it("summarise the tail in which the delay no longer changes", () => {
    const daily = resolvePolicy({ preset: "notification-rules" }, { policyPreset: "default", maxAttempts: 100 });
    expect(lines(daily)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, [11, 99, true], 100]);
    expect(lines(aPolicy({ schedule: { kind: "fixed", baseSeconds: 5 }, maxAttempts: 15 }))).toEqual([
      1,
      2,
      [3, 14, true],
      15,
    ]);
  });

  it("summarise the middle of one that never settles", () => {
    const growing = aPolicy({ schedule: { kind: "linear", baseSeconds: 5 }, maxAttempts: 1000 });
    expect(lines(growing)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, [12, 999, false], 1000]);
  });

  it("name every attempt once", () => {
    fc.assert(
      fc.property(anyPolicy, (policy) => {
        const { attempts } = previewPolicy(policy);
        const numbers = ladderRows(attempts).flatMap((row) => {
          if (row.kind === "attempt") return [row.attempt.number];
          const { first, last } = row;
          return Array.from({ length: last.number - first.number + 1 }, (_, index) => first.number + index);
        });
        expect(numbers).toEqual(attempts.map(({ number }) => number));
      }),
    );
  });
});

describe("the time axis", () => {
  it("is linear where there is room, logarithmic where the range is large", () => {
    const scaleOf = (policy: RetryPolicy) => timeAxis([previewPolicy(policy)])?.scale;
    expect(scaleOf(presets.default)).toBe("linear");
    expect(scaleOf(presets.hookwatch)).toBe("linear");
    expect(scaleOf(presets["notification-rules"])).toBe("log");
    expect(scaleOf(presets["standard-webhooks"])).toBe("log");
  });

  it("is none where nothing is retried", () => {
    expect(timeAxis([previewPolicy(aPolicy({ maxAttempts: 1 }))])).toBeNull();
    const atOnce = aPolicy({ schedule: { kind: "fixed", baseSeconds: 0.0001 } });
    expect(timeAxis([previewPolicy(atOnce)])).toBeNull();
  });

  it("keeps the order of times, from 0 to 1, and names few of them, apart from each other", () => {
    fc.assert(
      fc.property(anyPolicy, (policy) => {
        const preview = previewPolicy(policy);
        const axis = timeAxis([preview]);
        fc.pre(axis !== null);
        const places = preview.attempts.map(({ at }) => positionOn(axis, at.earliestSeconds));
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        expect(places[0]).toBe(0);
        expect(positionOn(axis, axis.endSeconds)).toBeCloseTo(1, 12);
        const ticks = axis.ticksSeconds.map((tick) => positionOn(axis, tick));
        expect(ticks.length).toBeLessThanOrEqual(10);
        for (const [index, place] of ticks.slice(1).entries()) {
          expect(place).toBeLessThanOrEqual(1 + 1e-12);
          expect(place - (ticks[index] ?? 0)).toBeGreaterThan(0.07);
        }
      }),
    );
  });
});
