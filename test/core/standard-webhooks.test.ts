import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { newSigningSecret, signatureHeader, signingSecretProblem } from "../../functions/core/standard-webhooks.js";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
const timestampSeconds = 1_614_265_330;
const sign = (body: string | Buffer, secrets = [secret]) =>
  signatureHeader({ secrets, id, timestampSeconds, body: Buffer.from(body) });

describe("the signature", () => {
  it("is the specification's for its own example", () => {
    expect(sign('{"test": 2432232314}')).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });

  it("covers an empty body as zero bytes", () => {
    expect(sign("")).toBe("v1,v48jdbgvh29KJz2Qc+ghw8G6vG3nAKnujWBg8oM/62A=");
  });

  it("holds one entry per live secret, in order, separated by a space", () => {
    const other = newSigningSecret(Buffer.alloc(32, 1));
    expect(sign("x", [secret, other])).toBe(`${sign("x")} ${sign("x", [other])}`);
  });

  it("covers the body's bytes, also those that are no UTF-8", () => {
    expect(sign(Buffer.from([0x7b, 0xe9, 0x7d]))).not.toBe(sign(Buffer.from("{\ufffd}")));
  });

  it("verifies with the specification's own library, under each of two secrets", () => {
    const entropies = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));
    const now = Math.floor(Date.now() / 1000);
    fc.assert(
      fc.property(fc.json(), entropies, entropies, (body, first, second) => {
        const secrets = [newSigningSecret(first), newSigningSecret(second)];
        const signature = signatureHeader({ secrets, id, timestampSeconds: now, body: Buffer.from(body) });
        const headers = { "webhook-id": id, "webhook-timestamp": String(now), "webhook-signature": signature };
        for (const one of secrets) expect(() => new Webhook(one).verify(body, headers)).not.toThrow();
      }),
    );
  });

  it.each(["whsec_!!!!", "whsec_", "", " ", `${secret}\n`])("is never made under the unsound secret %j", (unsound) => {
    expect(() => sign("x", [secret, unsound])).toThrow(/signing secret/);
  });

  it("is never made without a secret", () => {
    expect(() => sign("x", [])).toThrow(/without a secret/);
  });
});

describe("a signing secret", () => {
  it.each([
    ["not base64", "whsec_!!!!", /base64/],
    ["empty", "", /whsec_/],
    ["nothing but its prefix", "whsec_", /24 to 64 bytes; it holds 0/],
    ["blank", "   ", /white space/],
    ["shorter than 24 bytes", `whsec_${Buffer.alloc(23).toString("base64")}`, /it holds 23/],
    ["longer than 64 bytes", `whsec_${Buffer.alloc(65).toString("base64")}`, /it holds 65/],
    ["pasted with a version before it", `v1,${secret}`, /v1,/],
    ["pasted with a newline behind it", `${secret}\n`, /white space/],
    ["pasted with a space before it", ` ${secret}`, /white space/],
    ["without its prefix", secret.slice(6), /whsec_/],
    ["in the URL alphabet", `whsec_${Buffer.alloc(24, 0xff).toString("base64url")}`, /base64/],
    ["without its padding", newSigningSecret(Buffer.alloc(32)).replace("=", ""), /base64/],
    ["with a space inside", "whsec_MfKQ9r8GKYqrTwjU PD8ILPZIo2LaLaSw", /base64/],
  ])("is refused when it is %s", (_, value, reason) => {
    expect(signingSecretProblem(value)).toMatch(reason);
  });

  it("is never repeated in the reason", () => {
    expect(signingSecretProblem(`v1,${secret}`)).not.toContain("MfKQ");
  });

  it.each([24, 32, 64])("may hold a key of %i bytes", (length) => {
    expect(signingSecretProblem(`whsec_${Buffer.alloc(length, 7).toString("base64")}`)).toBeNull();
  });

  it("is made from 32 bytes of entropy, and is sound", () => {
    const made = newSigningSecret(Buffer.alloc(40, 5));
    expect(made).toBe(`whsec_${Buffer.alloc(32, 5).toString("base64")}`);
    expect(signingSecretProblem(made)).toBeNull();
    expect(() => newSigningSecret(Buffer.alloc(31))).toThrow(RangeError);
  });
});
