import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Headers, HmacOptions } from "../../../functions/core/model.js";
import { verify } from "../../../functions/core/verification/verify.js";

const check = (hmac: HmacOptions, headers: Headers, body: Buffer, secret: string) =>
  verify({ scheme: "hmac", onFailure: "reject", hmac }, [{ id: "sec_a", value: secret }], {
    method: "POST",
    suffix: "",
    query: "",
    headers,
    body,
    nowMs: 0,
  });

describe("a base64 signature, as Shopify sends it", () => {
  const options: HmacOptions = { header: "X-Shopify-Hmac-Sha256", prefix: "", algorithm: "sha256", encoding: "base64" };
  const signature = "QNyObTlKbMx2qDlPF/ZOZcBqg5OgPg+2oky3zldc0Gw=";
  const body = Buffer.from('{"id":1234567890,"email":"customer@example.com","total_price":"123.45"}');
  const shopify = (...values: string[]) =>
    check(
      options,
      values.map((value) => ["x-shopify-hmac-sha256", value] as const),
      body,
      "test-webhook-secret",
    );

  it("verifies", () => {
    expect(shopify(signature)).toEqual({ ok: true, secretId: "sec_a" });
  });

  it("is refused in hex, without padding, with other white space, twice or not at all", () => {
    const notOne = { ok: false, reason: "signature is not one sha256 digest in base64" };
    expect(shopify(Buffer.from(signature, "base64").toString("hex"))).toEqual(notOne);
    expect(shopify(signature.replace("=", ""))).toEqual(notOne);
    expect(shopify(`${signature.slice(0, 9)} ${signature.slice(9)}`)).toEqual(notOne);
    expect(shopify(signature, signature)).toEqual(notOne);
    expect(shopify()).toEqual({ ok: false, reason: "missing signature header" });
  });

  it("is refused in another spelling of the same bytes", () => {
    // The last character before the padding carries two bits that decode to nothing.
    expect(shopify(signature.replace("w=", "x="))).toMatchObject({ ok: false });
  });
});

describe("a generic HMAC signature", () => {
  const algorithms = fc.constantFrom("sha256", "sha1", "sha512");
  const encodings = fc.constantFrom("hex", "base64");
  const prefixes = fc.constantFrom("", "sha256=", "v0:", "HMAC ");

  it("verifies in every combination of algorithm, encoding and prefix, and no other secret verifies it", () => {
    const bodies = fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes));
    const secrets = fc.string({ minLength: 1 }).filter((text) => text.trim() !== "" && text === text.trim());
    fc.assert(
      fc.property(algorithms, encodings, prefixes, bodies, secrets, (algorithm, encoding, prefix, body, secret) => {
        const options: HmacOptions = { header: "X-Signature", prefix, algorithm, encoding };
        const value = prefix + createHmac(algorithm, secret).update(body).digest(encoding);
        expect(check(options, [["x-signature", value]], body, secret).ok).toBe(true);
        expect(check(options, [["x-signature", value]], body, `${secret}x`).ok).toBe(false);
      }),
    );
  });

  it("is refused under another prefix, by exact case", () => {
    const options: HmacOptions = { header: "x-signature", prefix: "sha256=", algorithm: "sha256", encoding: "hex" };
    const hex = createHmac("sha256", "s").update("x").digest("hex");
    const refused = { ok: false, reason: "signature does not start with sha256=" };
    expect(check(options, [["x-signature", `SHA256=${hex}`]], Buffer.from("x"), "s")).toEqual(refused);
    expect(check(options, [["x-signature", hex]], Buffer.from("x"), "s")).toEqual(refused);
  });

  it("is refused when it is another algorithm's digest", () => {
    const options: HmacOptions = { header: "x-signature", prefix: "", algorithm: "sha256", encoding: "hex" };
    const sha1 = createHmac("sha1", "s").update("x").digest("hex");
    expect(check(options, [["x-signature", sha1]], Buffer.from("x"), "s").ok).toBe(false);
  });

  it("covers compressed bytes as they came", () => {
    const options: HmacOptions = { header: "x-signature", prefix: "", algorithm: "sha256", encoding: "hex" };
    const wire = Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0xff]);
    const headers: Headers = [
      ["content-encoding", "gzip"],
      ["x-signature", createHmac("sha256", "s").update(wire).digest("hex")],
    ];
    expect(check(options, headers, wire, "s").ok).toBe(true);
  });
});
