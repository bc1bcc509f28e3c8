import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { HmacOptions, Verification } from "../../../functions/core/model.js";
import { verificationProblems } from "../../../functions/core/verification/problems.js";
import { verify } from "../../../functions/core/verification/verify.js";

const body = Buffer.from("Hello, World!");
const github: Verification = { scheme: "github", onFailure: "reject" };
const hmacOptions: HmacOptions = { header: "x-signature", prefix: "", algorithm: "sha256", encoding: "hex" };

function request(secret: string) {
  const hex = createHmac("sha256", secret).update(body).digest("hex");
  const headers = [
    ["x-hub-signature-256", `sha256=${hex}`],
    ["x-signature", hex],
  ] as const;
  return { method: "POST", suffix: "", query: "", headers, body, nowMs: 0 };
}

describe("verification", () => {
  it("passes everything when the source has none", () => {
    expect(verify(null, [], { method: "POST", suffix: "", query: "", headers: [], body, nowMs: 0 })).toEqual({
      ok: true,
      secretId: null,
    });
  });

  it("accepts any of several live secrets, and names the one that matched", () => {
    const secrets = [
      { id: "sec_old", value: "old" },
      { id: "sec_new", value: "new" },
    ];
    expect(verify(github, secrets, request("old"))).toEqual({ ok: true, secretId: "sec_old" });
    expect(verify(github, secrets, request("new"))).toEqual({ ok: true, secretId: "sec_new" });
    expect(verify(github, secrets.slice(1), request("old"))).toEqual({ ok: false, reason: "signature mismatch" });
  });

  it("never shows a secret in its reason", () => {
    const result = verify(github, [{ id: "sec_a", value: "hunter2" }], request("other"));
    expect(JSON.stringify(result)).not.toContain("hunter2");
  });

  it("fails closed without a usable secret, although the sender signed with an empty key", () => {
    const refused = { ok: false, reason: "the source has no usable secret" };
    expect(verify(github, [], request(""))).toEqual(refused);
    expect(verify(github, [{ id: "sec_a", value: "" }], request(""))).toEqual(refused);
    expect(verify(github, [{ id: "sec_a", value: " \n" }], request(" \n"))).toEqual(refused);
  });

  it("ignores a blank secret beside a sound one", () => {
    const secrets = [
      { id: "sec_blank", value: "" },
      { id: "sec_a", value: "s" },
    ];
    expect(verify(github, secrets, request("")).ok).toBe(false);
    expect(verify(github, secrets, request("s"))).toEqual({ ok: true, secretId: "sec_a" });
  });

  it("never accepts anything on /in for a source that is published to with IAM", () => {
    const iam: Verification = { scheme: "iam", onFailure: "reject" };
    const refused = { ok: false, reason: "this source takes events by /publish only" };
    expect(verify(iam, [{ id: "sec_a", value: "s" }], request("s"))).toEqual(refused);
    expect(verify(iam, [], request(""))).toEqual(refused);
  });

  it("fails closed for a scheme that it does not know, and for an incomplete one", () => {
    const secrets = [{ id: "sec_a", value: "s" }];
    const unknown = { scheme: "from the future", onFailure: "reject" } as unknown as Verification;
    expect(verify(unknown, secrets, request("s")).ok).toBe(false);
    expect(verify({ scheme: "hmac", onFailure: "reject" }, secrets, request("s")).ok).toBe(false);
    const strange = { ...hmacOptions, algorithm: "md5" } as unknown as HmacOptions;
    expect(verify({ scheme: "hmac", onFailure: "reject", hmac: strange }, secrets, request("s")).ok).toBe(false);
  });
});

describe("verification problems", () => {
  const fields = (verification: Verification, secrets: string[]) =>
    verificationProblems(verification, secrets).map(({ field }) => field);
  const hmac = (overrides: Partial<HmacOptions>): Verification => ({
    scheme: "hmac",
    onFailure: "reject",
    hmac: { ...hmacOptions, ...overrides },
  });

  it("are none for a sound configuration", () => {
    expect(fields(github, ["s"])).toEqual([]);
    expect(fields(hmac({ prefix: "HMAC " }), ["s", "t"])).toEqual([]);
    expect(fields({ scheme: "iam", onFailure: "reject" }, [])).toEqual([]);
  });

  it("name missing, blank and badly pasted secrets, without repeating them", () => {
    expect(fields(github, [])).toEqual(["verification.secrets"]);
    expect(fields(github, ["s", "", "  "])).toEqual(["verification.secrets[1]", "verification.secrets[2]"]);
    expect(verificationProblems(github, ["hunter2\n"])).toEqual([
      { field: "verification.secrets[0]", reason: "has white space around it: remove it" },
    ]);
  });

  it.each<[Partial<HmacOptions>, string]>([
    [{ header: "" }, "verification.hmac.header"],
    [{ header: "x signature" }, "verification.hmac.header"],
    [{ prefix: "a\n" }, "verification.hmac.prefix"],
    [{ algorithm: "md5" as "sha1" }, "verification.hmac.algorithm"],
    [{ encoding: "base32" as "hex" }, "verification.hmac.encoding"],
  ])("name the field of %j", (overrides, field) => {
    expect(fields(hmac(overrides), ["s"])).toEqual([field]);
  });

  it("ask for the options of the generic scheme", () => {
    expect(fields({ scheme: "hmac", onFailure: "reject" }, ["s"])).toEqual(["verification.hmac"]);
  });
});
