import { describe, expect, it } from "vitest";
import { classifyError, classifyStatus, isGone, statusTable } from "../../functions/core/classify.js";
import type { Outcome } from "../../functions/core/model.js";
import { aPolicy } from "../support/builders.js";

const strict = aPolicy({ rules: "strict" });
const lenient = aPolicy({ rules: "lenient" });

/** Code, outcome under strict, outcome under lenient. */
const rows: [number, Outcome, Outcome][] = [
  [101, "permanent", "retryable"],
  [200, "delivered", "delivered"],
  [201, "delivered", "delivered"],
  [202, "delivered", "delivered"],
  [204, "delivered", "delivered"],
  [299, "delivered", "delivered"],
  [300, "permanent", "retryable"],
  [301, "permanent", "retryable"],
  [302, "permanent", "retryable"],
  [303, "permanent", "retryable"],
  [304, "permanent", "retryable"],
  [307, "permanent", "retryable"],
  [308, "permanent", "retryable"],
  [400, "permanent", "permanent"],
  [401, "permanent", "permanent"],
  [402, "permanent", "retryable"],
  [403, "permanent", "permanent"],
  [404, "permanent", "permanent"],
  [405, "permanent", "permanent"],
  [406, "permanent", "retryable"],
  [408, "retryable", "retryable"],
  [409, "permanent", "retryable"],
  [410, "permanent", "retryable"],
  [411, "permanent", "retryable"],
  [413, "permanent", "permanent"],
  [415, "permanent", "retryable"],
  [421, "permanent", "retryable"],
  [422, "permanent", "permanent"],
  [423, "permanent", "retryable"],
  [425, "permanent", "retryable"],
  [429, "retryable", "retryable"],
  [431, "permanent", "retryable"],
  [451, "permanent", "retryable"],
  [499, "permanent", "retryable"],
  [500, "retryable", "retryable"],
  [502, "retryable", "retryable"],
  [503, "retryable", "retryable"],
  [504, "retryable", "retryable"],
  [520, "retryable", "retryable"],
  [521, "retryable", "retryable"],
  [522, "retryable", "retryable"],
  [523, "retryable", "retryable"],
  [524, "retryable", "retryable"],
  [525, "retryable", "retryable"],
  [526, "retryable", "retryable"],
  [527, "retryable", "retryable"],
  [530, "retryable", "retryable"],
  [599, "retryable", "retryable"],
  [600, "retryable", "retryable"],
  [999, "retryable", "retryable"],
];

describe("status codes", () => {
  it.each(rows)("takes %i as %s under strict and %s under lenient", (code, underStrict, underLenient) => {
    expect(classifyStatus(strict, code)).toBe(underStrict);
    expect(classifyStatus(lenient, code)).toBe(underLenient);
  });

  it("has a row of the table for every code that a response can carry", () => {
    for (let code = 100; code <= 999; code++) {
      expect(statusTable.some(({ from, to }) => code >= from && code <= to)).toBe(true);
    }
  });

  it("takes no code outside the table as a success", () => {
    for (const code of [0, 99, 1000, -1, 299.5, Number.NaN]) {
      expect(classifyStatus(strict, code)).toBe("permanent");
      expect(classifyStatus(lenient, code)).toBe("retryable");
    }
  });

  it("lets retryOn and neverRetry override the rule set", () => {
    expect(classifyStatus(aPolicy({ rules: "strict", retryOn: [403, 301] }), 403)).toBe("retryable");
    expect(classifyStatus(aPolicy({ rules: "strict", retryOn: [403, 301] }), 301)).toBe("retryable");
    expect(classifyStatus(aPolicy({ rules: "strict", neverRetry: [501] }), 501)).toBe("permanent");
    expect(classifyStatus(aPolicy({ rules: "lenient", neverRetry: [409] }), 409)).toBe("permanent");
    expect(classifyStatus(aPolicy({ rules: "lenient", retryOn: [404] }), 404)).toBe("retryable");
  });

  it("keeps a 2xx a success, whatever the overrides say", () => {
    expect(classifyStatus(aPolicy({ retryOn: [202], neverRetry: [200] }), 202)).toBe("delivered");
    expect(classifyStatus(aPolicy({ retryOn: [202], neverRetry: [200] }), 200)).toBe("delivered");
  });
});

describe("transport errors", () => {
  it.each(["blocked_address", "blocked_port", "invalid_header"] as const)(
    "takes %s as permanent: we refused, not they",
    (error) => {
      expect(classifyError(error)).toBe("permanent");
    },
  );

  it.each([
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
    "response_too_large",
    "unknown_error",
  ] as const)("takes %s as retryable", (error) => {
    expect(classifyError(error)).toBe("retryable");
  });
});

describe("a 410", () => {
  it("says that the destination is gone where the policy believes it", () => {
    expect(isGone(aPolicy({ disableOnGone: true }), 410)).toBe(true);
    expect(isGone(aPolicy({ disableOnGone: true }), 404)).toBe(false);
  });

  it("says nothing when switched off, or when the policy retries it", () => {
    expect(isGone(aPolicy({ disableOnGone: false }), 410)).toBe(false);
    expect(isGone(aPolicy({ disableOnGone: true, retryOn: [410] }), 410)).toBe(false);
  });
});
