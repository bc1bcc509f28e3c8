import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RetryPolicy } from "../../functions/core/model.js";
import { policyProblems, presetCircuit, presetNames, presets, resolvePolicy } from "../../functions/core/presets.js";
import { aPolicy } from "../support/builders.js";

const system = { policyPreset: "default" };

describe("presets", () => {
  it.each(presetNames)("contains nothing that contradicts itself: %s", (name) => {
    expect(policyProblems(presets[name])).toEqual([]);
  });

  it("follows the schedule that the Standard Webhooks specification recommends", () => {
    const { schedule, maxAttempts } = presets["standard-webhooks"];
    expect(schedule).toEqual({
      kind: "table",
      delaysSeconds: [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400],
    });
    expect(maxAttempts).toBe(10);
  });

  it("opens the circuit at 5 failures unless the preset says otherwise", () => {
    expect(presetCircuit("default")).toEqual({
      failureThreshold: 5,
      failureRate: null,
      minimumAttempts: 20,
      cooldownSeconds: 15,
      maxCooldownSeconds: 900,
    });
  });
});

describe("resolving a policy", () => {
  it("takes the system's preset when none is named", () => {
    expect(resolvePolicy({}, { policyPreset: "hookwatch" })).toEqual(presets.hookwatch);
  });

  it("prefers the caller's maximum to the system's, and the system's to the preset's", () => {
    expect(resolvePolicy(null, system).maxAttempts).toBe(5);
    expect(resolvePolicy(null, { ...system, maxAttempts: 8 }).maxAttempts).toBe(8);
    expect(resolvePolicy({ maxAttempts: 2 }, { ...system, maxAttempts: 8 }).maxAttempts).toBe(2);
  });

  it("leaves a table without a cap unless one is given", () => {
    const schedule = { kind: "table", delaysSeconds: [60, 86_400] } as const;
    expect(resolvePolicy({ schedule }, system).capSeconds).toBeNull();
    expect(resolvePolicy({ schedule, capSeconds: 3600 }, system).capSeconds).toBe(3600);
  });

  it("caps a curve at one hour, or at its base when that is longer", () => {
    const onTable = { preset: "hookwatch" } as const;
    expect(resolvePolicy({ ...onTable, schedule: { kind: "linear", baseSeconds: 60 } }, system).capSeconds).toBe(3600);
    expect(resolvePolicy({ schedule: { kind: "fixed", baseSeconds: 7200 } }, system).capSeconds).toBe(7200);
  });

  it("takes null as no cap and no time budget", () => {
    const policy = resolvePolicy({ capSeconds: null, maxAgeSeconds: null }, system);
    expect([policy.capSeconds, policy.maxAgeSeconds]).toEqual([null, null]);
  });

  it("believes a 410 under strict and not under lenient, unless told", () => {
    expect(resolvePolicy({ rules: "lenient" }, system).disableOnGone).toBe(false);
    expect(resolvePolicy({ preset: "notification-rules", rules: "strict" }, system).disableOnGone).toBe(true);
    expect(resolvePolicy({ rules: "lenient", disableOnGone: true }, system).disableOnGone).toBe(true);
    expect(resolvePolicy({ preset: "notification-rules" }, system).disableOnGone).toBe(false);
  });

  it("refuses a preset that does not exist, also one named like an object's own member", () => {
    expect(() => resolvePolicy(null, { policyPreset: "defualt" })).toThrow(RangeError);
    expect(() => resolvePolicy(null, { policyPreset: "constructor" })).toThrow(RangeError);
  });
});

describe("policy problems", () => {
  const fieldsOf = (overrides: Partial<RetryPolicy>) => policyProblems(aPolicy(overrides)).map(({ field }) => field);

  it.each<[string, Partial<RetryPolicy>, string]>([
    ["a cap below the base", { schedule: { kind: "fixed", baseSeconds: 60 }, capSeconds: 30 }, "capSeconds"],
    ["a cap below every table entry", { capSeconds: 5 }, "capSeconds"],
    ["a cap of zero", { capSeconds: 0 }, "capSeconds"],
    ["jitter above 1", { jitter: 1.01 }, "jitter"],
    ["negative jitter", { jitter: -0.1 }, "jitter"],
    ["jitter that is no number", { jitter: Number.NaN }, "jitter"],
    ["an empty table", { schedule: { kind: "table", delaysSeconds: [] } }, "schedule.delaysSeconds"],
    [
      "an empty table under a cap",
      { schedule: { kind: "table", delaysSeconds: [] }, capSeconds: 60 },
      "schedule.delaysSeconds",
    ],
    ["a table of 101", { schedule: { kind: "table", delaysSeconds: Array(101).fill(1) } }, "schedule.delaysSeconds"],
    ["a zero in a table", { schedule: { kind: "table", delaysSeconds: [1, 0] } }, "schedule.delaysSeconds[1]"],
    [
      "an infinite table entry",
      { schedule: { kind: "table", delaysSeconds: [Number.POSITIVE_INFINITY] } },
      "schedule.delaysSeconds[0]",
    ],
    ["a negative base", { schedule: { kind: "linear", baseSeconds: -1 } }, "schedule.baseSeconds"],
    ["a base above a year", { schedule: { kind: "fixed", baseSeconds: 365 * 86_400 + 1 } }, "schedule.baseSeconds"],
    ["no attempt", { maxAttempts: 0 }, "maxAttempts"],
    ["half an attempt", { maxAttempts: 1.5 }, "maxAttempts"],
    ["1001 attempts", { maxAttempts: 1001 }, "maxAttempts"],
    ["a time budget of zero", { maxAgeSeconds: 0 }, "maxAgeSeconds"],
    ["a Retry-After cap of zero", { retryAfterCapSeconds: 0 }, "retryAfterCapSeconds"],
    ["a success in retryOn", { retryOn: [409, 200] }, "retryOn[1]"],
    ["a fraction in neverRetry", { neverRetry: [404.5] }, "neverRetry[0]"],
    ["a code above 599", { neverRetry: [600] }, "neverRetry[0]"],
    ["a code in both lists", { retryOn: [409], neverRetry: [409] }, "retryOn"],
  ])("names field and reason of %s", (_, overrides, field) => {
    expect(fieldsOf(overrides)).toEqual([field]);
    expect(policyProblems(aPolicy(overrides))[0]?.reason).toMatch(/\w{4}/);
  });

  it("reports every problem at once", () => {
    expect(fieldsOf({ jitter: 2, maxAttempts: 0, maxAgeSeconds: -1 })).toEqual([
      "jitter",
      "maxAttempts",
      "maxAgeSeconds",
    ]);
  });

  it("accepts the limits themselves", () => {
    expect(fieldsOf({ jitter: 1, maxAttempts: 1000, capSeconds: 10, retryOn: [300], neverRetry: [599] })).toEqual([]);
  });

  it("accepts what resolving makes of any sound base, maximum and jitter", () => {
    const kinds = fc.constantFrom("exponential", "linear", "fixed");
    const bases = fc.double({ min: 0.001, max: 365 * 86_400, noNaN: true });
    fc.assert(
      fc.property(kinds, bases, fc.constantFrom(...presetNames), (kind, baseSeconds, preset) => {
        expect(policyProblems(resolvePolicy({ preset, schedule: { kind, baseSeconds } }, system))).toEqual([]);
      }),
    );
  });
});
