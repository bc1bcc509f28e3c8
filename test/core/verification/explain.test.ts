import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Verification } from "../../../functions/core/model.js";
import { explainVerification } from "../../../functions/core/verification/explain.js";

const body = Buffer.alloc(1024, "x");
const request = { method: "POST", suffix: "", query: "", headers: [], body, nowMs: 1_000_412_000 };
const secrets = [
  { id: "sec_1", value: "one" },
  { id: "sec_2", value: "two" },
  { id: "sec_3", value: " three" },
];
const slack: Verification = { scheme: "slack", onFailure: "reject" };

function signed(secret: string) {
  const digest = createHmac("sha256", secret).update("v0:1000000:").update(body).digest("hex");
  return {
    ...request,
    headers: [
      ["x-slack-request-timestamp", "1000000"],
      ["x-slack-signature", `v0=${digest}`],
    ] as const,
  };
}

describe("an explanation", () => {
  it("goes on after a stale timestamp, and says what matched", () => {
    expect(explainVerification(slack, secrets, signed("two"))).toEqual([
      { step: "configuration", ok: true, detail: "is sound: scheme slack" },
      { step: "secrets", ok: true, detail: "2 of 3 can be used; sec_3 has white space around it: remove it" },
      { step: "header x-slack-signature", ok: true, detail: "is present" },
      { step: "prefix", ok: true, detail: "is v0=" },
      { step: "encoding", ok: true, detail: "hex of 32 bytes" },
      { step: "header x-slack-request-timestamp", ok: true, detail: "is present" },
      { step: "timestamp", ok: false, detail: "is 412 s old, 300 s are allowed" },
      {
        step: "signature",
        ok: true,
        detail: "is the HMAC-SHA256 of v0:{timestamp}:{body} (body: 1,024 bytes) under secret sec_2",
      },
    ]);
  });

  it("names the secrets that did not match", () => {
    expect(explainVerification(slack, secrets, signed("three")).at(-1)).toEqual({
      step: "signature",
      ok: false,
      detail:
        "is the HMAC-SHA256 of v0:{timestamp}:{body} (body: 1,024 bytes) under any of the secrets sec_1, sec_2: no",
    });
  });

  it("ends where nothing further can be said", () => {
    expect(explainVerification(slack, secrets, request).at(-1)).toEqual({
      step: "header x-slack-signature",
      ok: false,
      detail: "is missing",
    });
    expect(explainVerification({ ...slack, toleranceSeconds: 0 }, secrets, request)).toEqual([
      {
        step: "configuration",
        ok: false,
        detail: "verification.toleranceSeconds must be a whole number from 1 to 604800 (7 days)",
      },
    ]);
  });

  it("of a source without verification is one step", () => {
    expect(explainVerification(null, [], request)).toEqual([
      { step: "verification", ok: true, detail: "the source has none: all passes" },
    ]);
  });

  it("of iam says that events come another way", () => {
    expect(explainVerification({ scheme: "iam", onFailure: "reject" }, [], request).at(-1)).toEqual({
      step: "scheme iam",
      ok: false,
      detail: "this source takes events by /publish only",
    });
  });
});
