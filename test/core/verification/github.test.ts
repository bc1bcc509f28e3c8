import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Headers } from "../../../functions/core/model.js";
import { verify } from "../../../functions/core/verification/verify.js";

const secret = "It's a Secret to Everybody";
const digest = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
const hello = Buffer.from("Hello, World!");

const check = (headers: Headers, body = hello, secrets = [{ id: "sec_a", value: secret }]) =>
  verify({ scheme: "github", onFailure: "reject" }, secrets, {
    method: "POST",
    suffix: "",
    query: "",
    headers,
    body,
    nowMs: 0,
  });
const signed = (signature: string): Headers => [["x-hub-signature-256", signature]];

describe("GitHub's signature", () => {
  it("verifies GitHub's documented example", () => {
    expect(check(signed(`sha256=${digest}`))).toEqual({ ok: true, secretId: "sec_a" });
  });

  it("verifies the example of GitHub's own library", () => {
    const signature = "sha256=4864d2759938a15468b5df9ade20bf161da9b4f737ea61794142f3484236bda3";
    const secrets = [{ id: "sec_b", value: "mysecret" }];
    expect(check(signed(signature), Buffer.from('{"foo":"bar"}'), secrets).ok).toBe(true);
  });

  it.each(["x-hub-signature-256", "X-Hub-Signature-256", "X-HUB-SIGNATURE-256"])(
    "is found under the name %s",
    (name) => {
      expect(check([[name, `sha256=${digest}`]]).ok).toBe(true);
    },
  );

  it("verifies in upper-case hex: the bytes are the same", () => {
    expect(check(signed(`sha256=${digest.toUpperCase()}`)).ok).toBe(true);
  });

  it.each([
    ["absent", [], "missing signature header"],
    ["SHA-1 only", [["x-hub-signature", "sha1=00"]], "no sha256 signature: only the SHA-1 header was sent"],
    ["without its prefix", signed(digest), "signature does not start with sha256="],
    ["with another case of its prefix", signed(`SHA256=${digest}`), "signature does not start with sha256="],
    ["two joined", signed(`sha256=${digest},sha256=${digest}`), "signature is not one sha256 digest in hex"],
    [
      "two joined with a space",
      signed(`sha256=${digest}, sha256=${digest}`),
      "signature is not one sha256 digest in hex",
    ],
    [
      "sent twice",
      [...signed(`sha256=${digest}`), ...signed(`sha256=${digest}`)],
      "signature is not one sha256 digest in hex",
    ],
    ["too short", signed("sha256=abcd"), "signature is not one sha256 digest in hex"],
    ["only a prefix", signed("sha256="), "signature is not one sha256 digest in hex"],
    ["empty", signed(""), "signature does not start with sha256="],
    ["63 digits", signed(`sha256=${digest.slice(1)}`), "signature is not one sha256 digest in hex"],
    ["65 digits", signed(`sha256=${digest}0`), "signature is not one sha256 digest in hex"],
    ["70 KB", signed(`sha256=${"a".repeat(70_000)}`), "signature is not one sha256 digest in hex"],
    ["64 characters, but 65 bytes", signed(`sha256=é${"a".repeat(63)}`), "signature is not one sha256 digest in hex"],
    ["another message's", signed(`sha256=${"0".repeat(64)}`), "signature mismatch"],
  ] as [string, Headers, string][])("is refused when it is %s", (_, headers, reason) => {
    expect(check(headers)).toEqual({ ok: false, reason });
  });

  it("never makes verification throw", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.uint8Array(), (text, bytes) => {
        for (const value of [text, `sha256=${text}`]) expect(check(signed(value), Buffer.from(bytes)).ok).toBe(false);
      }),
    );
  });

  it("covers every bit of the body", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), fc.nat(), fc.nat(7), (bytes, position, bit) => {
        const signature = `sha256=${createHmac("sha256", secret).update(bytes).digest("hex")}`;
        const changed = Buffer.from(bytes);
        const index = position % changed.length;
        changed[index] = (changed[index] ?? 0) ^ (1 << bit);
        expect(check(signed(signature), Buffer.from(bytes)).ok).toBe(true);
        expect(check(signed(signature), changed).ok).toBe(false);
      }),
    );
  });
});

describe("GitHub's signature covers the raw bytes", () => {
  it.each([
    ["that are not UTF-8", "eyJhIjoi6SJ9", "cd6f7d0466adeeacd2fbdc07a0d2e1096241001e21275959d5de30bde289cf90"],
    [
      "of a multipart file",
      "LS1iDQpDb250ZW50LURpc3Bvc2l0aW9uOiBmb3JtLWRhdGE7IG5hbWU9ImYiOyBmaWxlbmFtZT0ieC5iaW4iDQoNCgD//olQDQoNCi0tYi0tDQo=",
      "75f9f6a6d6907081831ba387564fac8cf2d099202516247eb8073e45facc5fa5",
    ],
    ["with a byte order mark", "77u/eyJhIjoxfQ==", "14249169651ad40fee46e78650c111583952003c796fd010ddb2df7e17b66f81"],
    [
      "of a form, not the JSON inside it",
      "cGF5bG9hZD0lN0IlMjJ6ZW4lMjIlM0ElMjJLZWVwK2l0JTIyJTdE",
      "b2abc3d731db00821cdfa011e2f640d4afa339fe3735d7b56dc7c3b6f1fb0842",
    ],
    [
      "beyond ASCII",
      "eyJ0aWVyIjoiR29sZCDwn5iKIn0=",
      "554b1d27a71efe412dd2d73fef86db648dc15344e7f4ca3900715cc1fecfcf7f",
    ],
  ])("%s", (_, base64, hex) => {
    expect(check(signed(`sha256=${hex}`), Buffer.from(base64, "base64")).ok).toBe(true);
  });

  it("and never the JSON inside a form", () => {
    const inside = '{"zen":"Keep it"}';
    const signature = `sha256=${createHmac("sha256", secret).update(inside).digest("hex")}`;
    expect(check(signed(signature), Buffer.from("payload=%7B%22zen%22%3A%22Keep+it%22%7D")).ok).toBe(false);
  });

  it("and never a re-decoded text", () => {
    const reDecoded = "7c3a6aa27bdb309b465cb71fc8adafcddc3f20dbf48c075947523c7fd2b9f400";
    expect(check(signed(`sha256=${reDecoded}`), Buffer.from("eyJhIjoi6SJ9", "base64")).ok).toBe(false);
  });
});
