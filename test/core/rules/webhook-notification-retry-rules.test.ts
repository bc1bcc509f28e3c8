import { describe, expect, it } from "vitest";
import { classifyError, classifyStatus, isGone } from "../../../functions/core/classify.js";
import { computedDelaySeconds, decideNext } from "../../../functions/core/policy.js";
import { presetCircuit, presets, resolvePolicy } from "../../../functions/core/presets.js";

/** The sentences of "Webhook Notification Retry Rules" that concern policy; each test is named by its sentence. */

const rules = presets["notification-rules"];
const system = { policyPreset: "notification-rules" };
const neverRetried = [400, 401, 403, 404, 405, 413, 422];
const middle = () => 0.5;

const afterFailure = (attemptsMade: number, policy = rules) =>
  decideNext(policy, {
    outcome: "retryable",
    attemptsMade,
    retryAfterSeconds: null,
    receivedAtMs: 0,
    nowMs: 0,
    random: middle,
  });

describe("retry schedule", () => {
  const minute = 60;
  const hour = 3600;

  it.each([
    [1, "Immediate", 0],
    [2, "1 minute", minute],
    [3, "2 minutes", 2 * minute],
    [4, "5 minutes", 5 * minute],
    [5, "10 minutes", 10 * minute],
    [6, "15 minutes", 15 * minute],
    [7, "30 minutes", 30 * minute],
    [8, "1 hour", hour],
    [9, "6 hours", 6 * hour],
    [10, "1 day", 24 * hour],
    [11, "1 day", 24 * hour],
    [500, "1 day", 24 * hour],
  ])("“Attempt / Delay before retry”: %i — %s", (attempt, _, expected) => {
    expect(computedDelaySeconds(rules, attempt - 1, middle)).toBe(expected);
  });

  it("“The delay between each retry attempt increases as follows”: no delay is shorter than the one before", () => {
    const delays = Array.from({ length: 15 }, (_, made) => computedDelaySeconds(rules, made, middle));
    expect(delays).toEqual(delays.toSorted((a, b) => a - b));
  });
});

describe("maximum attempts", () => {
  it("“The maximum number of retry attempts is controlled by the system setting System.webhookAttempts.”", () => {
    expect(resolvePolicy(null, { ...system, maxAttempts: 4 }).maxAttempts).toBe(4);
    expect(
      resolvePolicy({ preset: "notification-rules" }, { policyPreset: "default", maxAttempts: 14 }).maxAttempts,
    ).toBe(14);
  });

  it('“This applies to all subscriptions, including those with "Do Not Unsubscribe" enabled.”', () => {
    const neverDisabled = resolvePolicy({ disableOnGone: false }, { ...system, maxAttempts: 4 });
    expect(neverDisabled.maxAttempts).toBe(4);
    expect(afterFailure(4, neverDisabled)).toEqual({ kind: "dead_letter", reason: "exhausted" });
  });

  it("“When the maximum is reached, the individual notification stops retrying”", () => {
    const policy = resolvePolicy(null, { ...system, maxAttempts: 4 });
    expect(afterFailure(3, policy).kind).toBe("retry");
    expect(afterFailure(4, policy)).toEqual({ kind: "dead_letter", reason: "exhausted" });
  });

  it("“but the subscription remains active for new notifications”: no answer disables it", () => {
    for (let code = 100; code <= 599; code++) expect(isGone(rules, code)).toBe(false);
  });
});

describe("non-retryable errors", () => {
  it.each([
    [400, "Bad Request"],
    [401, "Unauthorized"],
    [403, "Forbidden"],
    [404, "Not Found"],
    [405, "Method Not Allowed"],
    [413, "Payload Too Large"],
    [422, "Unprocessable Entity"],
  ])("“Notifications that fail with the following HTTP status codes are never retried”: %i %s", (code) => {
    expect(classifyStatus(rules, code)).toBe("permanent");
  });

  it("“All other errors are retried”: every status that is neither a success nor in that list", () => {
    for (let code = 100; code <= 999; code++) {
      const success = code >= 200 && code <= 299;
      if (!success && !neverRetried.includes(code))
        expect([code, classifyStatus(rules, code)]).toEqual([code, "retryable"]);
    }
  });

  it.each(["connect_timeout", "unreachable", "refused", "dns"] as const)(
    "“All other errors are retried, including: Connection timeouts (endpoint unreachable)”: %s",
    (error) => {
      expect(classifyError(error)).toBe("retryable");
    },
  );

  it.each([500, 501, 502, 503, 504, 520, 599])(
    "“All other errors are retried, including: Server errors (5xx)”: %i",
    (code) => {
      expect(classifyStatus(rules, code)).toBe("retryable");
    },
  );

  it("“All other errors are retried, including: Rate limiting (429)”", () => {
    expect(classifyStatus(rules, 429)).toBe("retryable");
  });

  it("“All other errors are retried, including: Request timeouts (408)”", () => {
    expect(classifyStatus(rules, 408)).toBe("retryable");
  });

  it("“All other errors are retried, including: Conflicts (409)”", () => {
    expect(classifyStatus(rules, 409)).toBe("retryable");
  });
});

describe("circuit breaker", () => {
  it("“If a notification fails for a subscription during a retry cycle, all remaining pending notifications for that same subscription are skipped”: one failure opens the circuit", () => {
    expect(presetCircuit("notification-rules").failureThreshold).toBe(1);
  });
});
