import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { HmacOptions, Verification, VerificationScheme } from "../../../functions/core/model.js";
import { verificationProblems } from "../../../functions/core/verification/problems.js";
import { schemeNames } from "../../../functions/core/verification/schemes.js";
import { verify } from "../../../functions/core/verification/verify.js";
import { p256PublicKey, whpk, whsec } from "./references.js";

const publicUrl = "https://hooks.example/in/src";
const hmacOptions: HmacOptions = { header: "x-signature", prefix: "", algorithm: "sha256", encoding: "hex" };
const request = { method: "POST", suffix: "", query: "", headers: [], body: Buffer.alloc(0), nowMs: 0 };

const problems = (scheme: VerificationScheme, more: Partial<Verification>, secrets: readonly string[] = ["s"]) =>
  verificationProblems({ scheme, onFailure: "reject", ...more }, secrets);
const fields = (...args: Parameters<typeof problems>) => problems(...args).map(({ field }) => field);
const hmac = (options: Partial<HmacOptions>, more: Partial<Verification> = {}) =>
  fields("hmac", { hmac: { ...hmacOptions, ...options }, ...more });

describe("options", () => {
  it.each(["twilio", "square", "hubspot"] as const)("%s needs the URL that its provider signs", (scheme) => {
    expect(problems(scheme, {})).toEqual([
      {
        field: "verification.publicUrl",
        reason: `is required for the scheme ${scheme}: the provider signs the URL. Give the source's URL as the provider has it, without query`,
      },
    ]);
    expect(fields(scheme, { publicUrl })).toEqual([]);
  });

  it.each([
    "http://hooks.example/in/src",
    "https://hooks.example/in/src?a=1",
    "https://hooks.example/in/src?",
    "https://hooks.example/in/src#a",
    "https://ann:secret@hooks.example/in/src",
    "https://hooks.example/in/s rc",
    " https://hooks.example/in/src",
    "https://",
    "hooks.example/in/src",
    "https://hooks.example:port/in",
    "",
  ])("refuses the public URL %j", (url) => {
    expect(fields("square", { publicUrl: url })).toEqual(["verification.publicUrl"]);
  });

  it("are refused where they mean nothing", () => {
    const more = { publicUrl, toleranceSeconds: 9, secretEncoding: "hex", headerToken: { header: "x" } } as const;
    expect(fields("github", { ...more, hmac: hmacOptions })).toEqual([
      "verification.toleranceSeconds",
      "verification.publicUrl",
      "verification.secretEncoding",
      "verification.hmac",
      "verification.headerToken",
    ]);
  });

  it("have bounds", () => {
    for (const toleranceSeconds of [0, -1, 1.5, 604_801, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(fields("stripe", { toleranceSeconds })).toEqual(["verification.toleranceSeconds"]);
    }
    expect(fields("stripe", { toleranceSeconds: 604_800 })).toEqual([]);
  });

  it("of a header with a token: its name", () => {
    expect(fields("header-token", {})).toEqual(["verification.headerToken"]);
    expect(fields("header-token", { headerToken: { header: "x token" } })).toEqual(["verification.headerToken.header"]);
  });

  it("make every request fail when they are not sound", () => {
    const secrets = [{ id: "sec_1", value: "s" }];
    const broken: Verification[] = [
      { scheme: "square", onFailure: "reject" },
      { scheme: "header-token", onFailure: "reject" },
      { scheme: "hmac", onFailure: "reject" },
      { scheme: "hmac", onFailure: "reject", hmac: { ...hmacOptions, content: "{timestamp}" } },
      { scheme: "md5" as "hmac", onFailure: "reject" },
    ];
    for (const verification of broken) {
      expect(verify(verification, secrets, request)).toMatchObject({
        ok: false,
        reason: expect.stringMatching(/^the source's verification\./),
      });
    }
  });
});

describe("a scheme that is not known", () => {
  it("is refused with the names of those that are", () => {
    expect(problems("md5" as "hmac", {})).toEqual([
      { field: "verification.scheme", reason: `must be one of ${schemeNames.join(", ")}` },
    ]);
    for (const name of ["constructor", "__proto__", ""])
      expect(fields(name as "hmac", {})).toEqual(["verification.scheme"]);
  });
});

describe("the template of a generic signature", () => {
  it.each<[Partial<HmacOptions>, Partial<Verification>, string[]]>([
    [{ content: "{body}" }, {}, []],
    [{ content: "{id}.{timestamp}.{body}", idHeader: "x-id", timestampHeader: "x-time" }, {}, []],
    [{ content: "{method}{url}{header:x-a}{body}" }, { publicUrl }, []],
    [{ content: "{timestamp}" }, {}, ["verification.hmac.content"]],
    [{ content: "{body}{body}" }, {}, ["verification.hmac.content"]],
    [{ content: "{bdy}" }, {}, ["verification.hmac.content"]],
    [{ content: "{{body}}" }, {}, ["verification.hmac.content"]],
    [{ content: "{header:}{body}" }, {}, ["verification.hmac.content"]],
    [{ content: "" }, {}, ["verification.hmac.content"]],
    [{ content: "{timestamp}{body}" }, {}, ["verification.hmac.timestampHeader"]],
    [{ content: "{id}{body}" }, {}, ["verification.hmac.idHeader"]],
    [{ timestampHeader: "x-time" }, {}, ["verification.hmac.timestampHeader"]],
    [{ idHeader: "x-id" }, {}, ["verification.hmac.idHeader"]],
    [{ timestampUnit: "seconds" }, {}, ["verification.hmac.timestampUnit"]],
    [{ content: "{url}{body}" }, {}, ["verification.publicUrl"]],
    [{}, { publicUrl }, ["verification.publicUrl"]],
    [{}, { toleranceSeconds: 60 }, ["verification.toleranceSeconds"]],
    [{ covers: "both" as "wire" }, {}, ["verification.hmac.covers"]],
  ])("%j with %j has problems in %j", (options, more, expected) => {
    expect(hmac(options, more)).toEqual(expected);
  });
});

describe("secrets", () => {
  it.each<[VerificationScheme, Partial<Verification>, string, RegExp]>([
    ["github", {}, "", /is blank/],
    ["github", {}, " \n", /is blank/],
    ["slack", {}, "s\n", /white space around it/],
    ["slack", {}, "first line\nsecond line", /line break or another control character/],
    ["basic", {}, "user:pass\u0000word", /line break or another control character/],
    ["stripe", {}, "v1,whsec_abc", /starts with a version/],
    ["standard-webhooks", {}, `v1,${whsec}`, /starts with a version/],
    ["standard-webhooks", {}, "whsec_!!!!", /must be base64/],
    ["standard-webhooks", {}, "whsec_", /24 to 64 bytes; it holds 0/],
    ["standard-webhooks", {}, "whsec_AAAA", /24 to 64 bytes; it holds 3/],
    ["standard-webhooks", {}, `${whsec.slice(0, -1)}`, /must be base64/],
    ["standard-webhooks", {}, "whsk_AAAA", /private key/],
    ["standard-webhooks", {}, "whpk_AAAA", /32-byte Ed25519 public key/],
    ["standard-webhooks", { secretEncoding: "base64url" }, `whsec_${"+".repeat(40)}`, /must be base64url/],
    ["gitlab", {}, "whsec_AAAA", /24 to 64 bytes/],
    ["sendgrid", {}, "MFkw", /verification key that SendGrid shows/],
    ["sendgrid", {}, `-----BEGIN PUBLIC KEY-----\n${p256PublicKey}\n-----END PUBLIC KEY-----`, /without PEM lines/],
    ["discord", {}, "zz".repeat(32), /64 hex digits/],
    ["discord", {}, "00".repeat(31), /64 hex digits/],
    ["basic", {}, "user", /USER:PASSWORD/],
    ["hmac", { hmac: hmacOptions, secretEncoding: "hex" }, "xyz", /must be hex/],
  ])("of %s with %j: %j is refused", (scheme, more, secret, reason) => {
    const found = problems(scheme, more, [secret]);
    expect(found).toEqual([{ field: "verification.secrets[0]", reason: expect.stringMatching(reason) }]);
    const visible = secret.trim().slice(3);
    if (visible.length > 8) expect(JSON.stringify(found)).not.toContain(visible);
    const verification: Verification = { scheme, onFailure: "reject", ...more };
    const verdict = verify(verification, [{ id: "sec_1", value: secret }], request);
    expect(verdict).toEqual({ ok: false, reason: "the source has no usable secret" });
  });

  it("of SendGrid are keys on P-256, on no other curve", () => {
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-384" });
    const key = publicKey.export({ format: "der", type: "spki" }).toString("base64");
    expect(fields("sendgrid", {}, [key])).toEqual(["verification.secrets[0]"]);
  });

  it("of each form that is allowed are sound", () => {
    expect(problems("standard-webhooks", {}, [whsec, whpk, whsec.slice(6)])).toEqual([]);
    expect(problems("standard-webhooks", { secretEncoding: "utf8" }, ["any text"])).toEqual([]);
    expect(problems("gitlab", {}, [whsec, "any token"])).toEqual([]);
    expect(problems("sendgrid", {}, [p256PublicKey])).toEqual([]);
  });

  it("are needed, except under iam, which takes none", () => {
    expect(fields("github", {}, [])).toEqual(["verification.secrets"]);
    expect(problems("iam", {}, [])).toEqual([]);
    expect(fields("iam", {}, ["s"])).toEqual(["verification.secrets"]);
  });

  it("may hold an unusable one beside a good one without harm", () => {
    const secrets = [
      { id: "sec_bad", value: "whsec_!!!!" },
      { id: "sec_1", value: whsec },
    ];
    expect(verify({ scheme: "standard-webhooks", onFailure: "reject" }, secrets, request)).toEqual({
      ok: false,
      reason: "missing id header",
    });
  });
});
