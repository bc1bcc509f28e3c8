import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classifyError, classifyStatus } from "../../../functions/core/classify.js";
import type { Outcome, RetryPolicy, Schedule, TransportError } from "../../../functions/core/model.js";
import {
  computedDelaySeconds,
  decideNext,
  nextAttemptAt,
  worthAnotherAttempt,
} from "../../../functions/core/policy.js";
import { presets, resolvePolicy } from "../../../functions/core/presets.js";
import { parseRetryAfter } from "../../../functions/core/retry-after.js";
import { aPolicy } from "../../support/builders.js";
import { seededRandom } from "../../support/virtual-clock.js";

/** The sentences of "Webhook Retry Best Practices" that concern policy; each test is named by the sentence it keeps. */

const nowMs = Date.UTC(2026, 0, 1, 14);
const middle = () => 0.5;
const system = { policyPreset: "default" };

const withSchedule = (schedule: Schedule, rest: Partial<RetryPolicy> = {}) => aPolicy({ schedule, ...rest });
const delays = (policy: RetryPolicy, count: number) =>
  Array.from({ length: count }, (_, index) => computedDelaySeconds(policy, index + 1, middle));
const afterFailure = (policy: RetryPolicy, attemptsMade: number, outcome: Outcome = "retryable") =>
  decideNext(policy, { outcome, attemptsMade, retryAfterSeconds: null, receivedAtMs: nowMs, nowMs, random: middle });

describe("backoff", () => {
  it.each([
    ["fixed", [30, 30, 30, 30]],
    ["linear", [30, 60, 90, 120]],
    ["exponential", [30, 60, 120, 240]],
  ] as const)(
    "“The three common shapes differ in how fast that delay grows. Concretely, with a 30-second base”: %s",
    (kind, expected) => {
      expect(delays(withSchedule({ kind, baseSeconds: 30 }), 4)).toEqual(expected);
    },
  );

  it("“Exponential backoff is the default choice”", () => {
    expect(resolvePolicy(null, system).schedule).toEqual({ kind: "exponential", baseSeconds: 30 });
  });

  it("“still retrying quickly the first time or two when the failure is most likely transient”", () => {
    expect(delays(presets.default, 2)).toEqual([30, 60]);
  });

  it("“exponential up to a maximum, then fixed at that maximum”", () => {
    const policy = withSchedule({ kind: "exponential", baseSeconds: 30 }, { capSeconds: 200 });
    expect(delays(policy, 6)).toEqual([30, 60, 120, 200, 200, 200]);
  });
});

describe("jitter", () => {
  it("“a thousand deliveries all fail at 14:00:00 […] Add a random offset to each delay and those thousand retries smear across a window instead of landing together”", () => {
    const random = seededRandom(14);
    const failure = { attemptsMade: 1, retryAfterSeconds: null, nowMs, random };
    const dueTimes = Array.from({ length: 1000 }, () => nextAttemptAt(presets.default, failure).dueAtMs - nowMs);
    expect(Math.min(...dueTimes)).toBeLessThan(24_500);
    expect(Math.max(...dueTimes)).toBeGreaterThan(35_500);
    expect(new Set(dueTimes).size).toBeGreaterThan(900);
  });

  it("“pick each delay uniformly from a band around the base, for example the base delay plus or minus twenty percent”", () => {
    const policy = withSchedule({ kind: "fixed", baseSeconds: 100 }, { jitter: 0.2 });
    const random = seededRandom(20);
    const quarters = [0, 0, 0, 0];
    for (let draw = 0; draw < 4000; draw++) {
      const delay = computedDelaySeconds(policy, 1, random);
      expect(delay).toBeGreaterThanOrEqual(80);
      expect(delay).toBeLessThan(120);
      quarters[Math.floor((delay - 80) / 10)] = (quarters[Math.floor((delay - 80) / 10)] ?? 0) + 1;
    }
    for (const count of quarters) expect(count / 4000).toBeCloseTo(0.25, 1);
  });

  it("“without it, backoff still produces thundering herds at each retry tick”: every preset has it", () => {
    for (const preset of Object.values(presets)) expect(preset.jitter).toBe(0.2);
  });

  it.each<[string, Partial<RetryPolicy>]>([
    ["fixed", { schedule: { kind: "fixed", baseSeconds: 30 } }],
    ["linear", { schedule: { kind: "linear", baseSeconds: 30 } }],
    ["exponential", { schedule: { kind: "exponential", baseSeconds: 30 } }],
    ["table", { schedule: { kind: "table", delaysSeconds: [30, 120, 600] } }],
    ["at the cap", { schedule: { kind: "exponential", baseSeconds: 30 }, capSeconds: 45 }],
  ])("“jitter on every delay”: %s", (_, overrides) => {
    const policy = aPolicy({ jitter: 0.2, ...overrides });
    for (const attemptsMade of [1, 2, 3, 9]) {
      const shortest = computedDelaySeconds(policy, attemptsMade, () => 0);
      expect(computedDelaySeconds(policy, attemptsMade, () => 0.999999)).toBeCloseTo(shortest * 1.5, 2);
    }
  });

  it("“jitter on every delay”: on a Retry-After too", () => {
    const asked = { attemptsMade: 1, retryAfterSeconds: 60, nowMs };
    expect(nextAttemptAt(presets.default, { ...asked, random: () => 0 }).delaySeconds).toBe(60);
    expect(nextAttemptAt(presets.default, { ...asked, random: middle }).delaySeconds).toBe(66);
  });
});

describe("attempt limits", () => {
  it("“Maximum attempts — a hard count. After it, the delivery is done being retried.”", () => {
    const policy = aPolicy({ maxAttempts: 3 });
    expect([1, 2, 3, 4].map((made) => afterFailure(policy, made).kind)).toEqual([
      "retry",
      "retry",
      "dead_letter",
      "dead_letter",
    ]);
  });

  it("“A total time budget (optional) — stop retrying once the event is older than some window”", () => {
    const policy = withSchedule({ kind: "fixed", baseSeconds: 30 }, { maxAgeSeconds: 120, maxAttempts: 100 });
    const failedAt = (ageSeconds: number) =>
      decideNext(policy, {
        outcome: "retryable",
        attemptsMade: 1,
        retryAfterSeconds: null,
        receivedAtMs: nowMs - ageSeconds * 1000,
        nowMs,
        random: middle,
      });
    expect(failedAt(90)).toMatchObject({ kind: "retry" });
    expect(failedAt(91)).toEqual({ kind: "dead_letter", reason: "max_age" });
  });

  it("“A total time budget (optional)”: without one only the maximum ends it", () => {
    expect(presets.default.maxAgeSeconds).toBeNull();
    const last = { outcome: "retryable" as const, attemptsMade: 1, retryAfterSeconds: null, nowMs, random: middle };
    expect(decideNext(presets.default, { ...last, receivedAtMs: 0 }).kind).toBe("retry");
  });

  it("“The number that is right depends on the event.”: the maximum belongs to each policy", () => {
    expect(resolvePolicy({ maxAttempts: 12 }, system).maxAttempts).toBe(12);
  });

  it("“A few retries over a few minutes covers the overwhelming majority of transient failures”: the default", () => {
    const waits = delays(presets.default, presets.default.maxAttempts - 1);
    expect(waits).toEqual([30, 60, 120, 240]);
  });

  it("“Retries cannot run forever.”: every chain of failures ends in a dead letter", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.constantFrom(...Object.values(presets)),
        (maxAttempts, preset) => {
          const policy = { ...preset, maxAttempts };
          let attemptsMade = 1;
          while (afterFailure(policy, attemptsMade).kind === "retry") attemptsMade++;
          expect(attemptsMade).toBe(maxAttempts);
        },
      ),
    );
  });

  it("“When attempts are exhausted, the delivery must not simply vanish. Route it to a dead-letter destination”", () => {
    expect(afterFailure(aPolicy({ maxAttempts: 3 }), 3)).toEqual({ kind: "dead_letter", reason: "exhausted" });
  });
});

describe("which failures are retryable", () => {
  const transportErrors: TransportError[] = [
    "dns",
    "refused",
    "unreachable",
    "connect_timeout",
    "read_timeout",
    "deadline",
    "tls_expired",
    "tls_self_signed",
    "tls_name",
    "tls_protocol",
    "tls_weak",
    "tls_client_certificate",
    "reset",
    "protocol",
    "unknown_error",
  ];

  it("“stop retrying the moment it is clear retrying cannot help”", () => {
    expect(afterFailure(presets.default, 1, "permanent")).toEqual({ kind: "dead_letter", reason: "permanent" });
  });

  it("“Retrying a failure that is deterministic just wastes attempts and postpones the dead-letter.”", () => {
    expect(classifyStatus(presets.default, 422)).toBe("permanent");
    expect(worthAnotherAttempt(presets.default, { outcome: "permanent", attemptsMade: 1 }).worth).toBe(false);
  });

  it("“5xx […] are the destination’s problem and may pass”", () => {
    for (let code = 500; code <= 599; code++) expect(classifyStatus(presets.default, code)).toBe("retryable");
  });

  it.each(transportErrors)(
    "“timeouts, and transport errors are the destination’s problem and may pass”: %s",
    (error) => {
      expect(classifyError(error)).toBe("retryable");
    },
  );

  it("“4xx is the request’s problem and will not”", () => {
    for (let code = 400; code <= 499; code++) {
      if (code === 408 || code === 429) continue;
      expect(classifyStatus(presets.default, code)).toBe("permanent");
    }
  });

  it("“429 is the important exception inside the 4xx range […] Retry it, but slowly, and read Retry-After.”", () => {
    expect(classifyStatus(presets.default, 429)).toBe("retryable");
    const asked = { attemptsMade: 1, retryAfterSeconds: 120, nowMs, random: () => 0 };
    expect(nextAttemptAt(presets.default, asked).delaySeconds).toBe(120);
  });
});

describe("the Retry-After header", () => {
  const next = (retryAfterSeconds: number | null, random: () => number, policy = presets.default) =>
    nextAttemptAt(policy, { attemptsMade: 1, retryAfterSeconds, nowMs, random });

  it("“either a number of seconds or an HTTP date”", () => {
    expect(parseRetryAfter("120", nowMs)).toBe(120);
    expect(parseRetryAfter("Thu, 01 Jan 2026 14:02:00 GMT", nowMs)).toBe(120);
  });

  it("“If the header is present, it overrides your computed backoff”: longer and shorter than it", () => {
    expect(next(120, () => 0).delaySeconds).toBe(120);
    expect(next(5, () => 0).delaySeconds).toBe(5);
  });

  it("“Waiting less than it asked for just earns another 429.”", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3600 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (asked, draw) => {
          expect(next(asked, () => draw).dueAtMs).toBeGreaterThanOrEqual(nowMs + asked * 1000);
        },
      ),
    );
  });

  it("“If the header is absent, fall back to your normal backoff-with-jitter.”", () => {
    expect(next(null, () => 0).delaySeconds).toBe(24);
    expect(next(null, middle).delaySeconds).toBe(30);
  });

  it("“cap how long you will honour a very large Retry-After so a misconfigured destination cannot park a delivery for a day”", () => {
    for (const preset of Object.values(presets)) {
      expect(next(86_400, () => 0.999999, preset).delaySeconds).toBeLessThan(86_400);
      expect(next(86_400, () => 0, preset)).toMatchObject({ delaySeconds: 3600, retryAfterClamped: true });
    }
  });
});

describe("a retry decision function", () => {
  /** The document's `retryable`, for an outcome with a response. */
  const retryable = (statusCode: number) => statusCode === 408 || statusCode === 429 || statusCode >= 500;

  /** The document's `delayFor`, in nanoseconds as there; `draw` stands in for rand.Int63n. */
  function delayFor(attempt: number, retryAfter: number, base: number, max: number, draw: () => number): number {
    if (retryAfter > 0) return Math.min(retryAfter, max);
    const backoff = Math.min(base * 2 ** (attempt - 1), max);
    const fifth = Math.floor(backoff / 5);
    return backoff + Math.floor(draw() * (fifth * 2 + 1)) - fifth;
  }

  const draws = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const limits = fc
    .tuple(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 1, max: 7200 }))
    .map(([base, more]) => ({ base, max: base + more }));
  const policyOf = ({ base, max }: { base: number; max: number }) =>
    aPolicy({
      schedule: { kind: "exponential", baseSeconds: base },
      capSeconds: max,
      retryAfterCapSeconds: max,
      jitter: 0.2,
      maxAttempts: 1000,
    });

  it("“retryable reports whether this outcome is worth another attempt.”: strict agrees on every status", () => {
    for (let code = 100; code <= 999; code++) {
      if (code >= 200 && code <= 299) continue;
      expect([code, classifyStatus(presets.default, code) === "retryable"]).toEqual([code, retryable(code)]);
    }
  });

  it("“delayFor returns how long to wait”: the computed delay agrees for every attempt, base, maximum and draw", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), limits, draws, (attempt, limit, draw) => {
        const expected = delayFor(attempt, 0, limit.base * 1e9, limit.max * 1e9, () => draw) / 1e9;
        expect(computedDelaySeconds(policyOf(limit), attempt, () => draw)).toBeCloseTo(expected, 6);
      }),
    );
  });

  it("“honouring Retry-After when the destination sent one”: agrees, but for the jitter that is added on top", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), limits, draws, (asked, limit, draw) => {
        const expected = delayFor(1, asked * 1e9, limit.base * 1e9, limit.max * 1e9, () => draw) / 1e9;
        const failure = { attemptsMade: 1, retryAfterSeconds: asked, nowMs };
        expect(nextAttemptAt(policyOf(limit), { ...failure, random: () => 0 }).delaySeconds).toBe(expected);
        const { delaySeconds } = nextAttemptAt(policyOf(limit), { ...failure, random: () => draw });
        expect(delaySeconds).toBeGreaterThanOrEqual(expected);
        expect(delaySeconds).toBeLessThanOrEqual(expected * 1.2 + 0.001);
      }),
    );
  });

  it("“The two functions are deliberately separate”: when does not ask whether, and whether does not ask when", () => {
    const failure = { attemptsMade: 99, retryAfterSeconds: null, nowMs, random: middle };
    expect(nextAttemptAt(presets.default, failure).delaySeconds).toBe(3600);
    expect(worthAnotherAttempt(presets.default, { outcome: "retryable", attemptsMade: 1 })).toEqual({ worth: true });
  });

  it("“A caller loops while retryable holds and attempt is below the limit […] and dead-letters when either condition ends the loop.”", () => {
    const policy = aPolicy({ maxAttempts: 3 });
    expect(afterFailure(policy, 2)).toMatchObject({ kind: "retry" });
    expect(afterFailure(policy, 3)).toEqual({ kind: "dead_letter", reason: "exhausted" });
    expect(afterFailure(policy, 2, "permanent")).toEqual({ kind: "dead_letter", reason: "permanent" });
  });
});

describe("how HookWatch’s retry policy maps to these ideas", () => {
  it("“its per-endpoint policy is a direct expression of the principles above”: a preset that each subscription may name", () => {
    const policy = resolvePolicy({ preset: "hookwatch", maxAttempts: 4 }, system);
    expect(policy).toEqual({ ...presets.hookwatch, maxAttempts: 4 });
  });

  it("“A worked schedule for the defaults, with max_attempts = 3”", () => {
    expect(presets.hookwatch.maxAttempts).toBe(3);
    expect([1, 2, 3].map((made) => afterFailure(presets.hookwatch, made))).toMatchObject([
      { kind: "retry", delaySeconds: 30 },
      { kind: "retry", delaySeconds: 120 },
      { kind: "dead_letter", reason: "exhausted" },
    ]);
  });

  it("“The backoff array holds a third entry (600) that the default limit of three attempts never reaches; raising max_attempts extends the schedule into it.”", () => {
    const raised = resolvePolicy({ preset: "hookwatch", maxAttempts: 5 }, system);
    expect(afterFailure(raised, 3)).toMatchObject({ kind: "retry", delaySeconds: 600 });
    expect(afterFailure(raised, 4)).toMatchObject({ kind: "retry", delaySeconds: 600 });
  });

  it("“When attempts are exhausted the delivery is recorded as failed rather than silently dropped”", () => {
    expect(afterFailure(presets.hookwatch, 3)).toEqual({ kind: "dead_letter", reason: "exhausted" });
  });
});

describe("putting it together", () => {
  it("“exponential backoff with a cap, jitter on every delay, a small attempt limit, retries confined to 5xx/timeouts/transport errors and 429, respect for Retry-After”: the default", () => {
    expect(resolvePolicy(null, system)).toEqual({
      schedule: { kind: "exponential", baseSeconds: 30 },
      capSeconds: 3600,
      jitter: 0.2,
      maxAttempts: 5,
      maxAgeSeconds: null,
      rules: "strict",
      retryOn: [],
      neverRetry: [],
      retryAfterCapSeconds: 3600,
      disableOnGone: true,
    });
  });
});
