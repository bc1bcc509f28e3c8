import { createHmac } from "node:crypto";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Headers, HmacOptions, Verification } from "../../../functions/core/model.js";
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

describe("a generic HMAC signature over a template", () => {
  const options: HmacOptions = {
    header: "x-signature",
    prefix: "",
    algorithm: "sha256",
    encoding: "hex",
    content: "{timestamp}.{body}",
    timestampHeader: "x-time",
  };
  const body = Buffer.from([0xe9, 0, 0xff]);
  const at = (time: string, nowMs: number, changes: Partial<HmacOptions> = {}, more: Partial<Verification> = {}) =>
    verify(
      { scheme: "hmac", onFailure: "reject", hmac: { ...options, ...changes }, ...more },
      [{ id: "sec_a", value: "s" }],
      {
        method: "POST",
        suffix: "",
        query: "",
        headers: [
          ["x-time", time],
          ["x-signature", createHmac("sha256", "s").update(`${time}.`).update(body).digest("hex")],
        ],
        body,
        nowMs,
      },
    );

  it("checks the time against the source's tolerance", () => {
    expect(at("1000", 1_300_000).ok).toBe(true);
    expect(at("1000", 1_300_001)).toEqual({ ok: false, reason: "timestamp is too old" });
    expect(at("1000", 1_010_001, {}, { toleranceSeconds: 10 })).toEqual({ ok: false, reason: "timestamp is too old" });
    expect(at("1000", 699_999)).toEqual({ ok: false, reason: "timestamp is in the future" });
    expect(at("1000000", 1_000_000, { timestampUnit: "milliseconds" }).ok).toBe(true);
    for (const time of ["1e3", "0x3e8", "-1", "", "1 000", "１０００"]) {
      expect(at(time, 1_000_000)).toEqual({ ok: false, reason: "timestamp is not a whole number of seconds" });
    }
  });

  it.each(["hex", "base64", "base64url"] as const)("takes a key in %s when the source says so", (secretEncoding) => {
    const key = Buffer.alloc(20, 0xfb);
    const headers: Headers = [["x-signature", createHmac("sha256", key).update(body).digest("hex")]];
    const hmac: HmacOptions = { header: "x-signature", prefix: "", algorithm: "sha256", encoding: "hex" };
    const request = { method: "POST", suffix: "", query: "", headers, body, nowMs: 0 };
    const secrets = [{ id: "sec_a", value: key.toString(secretEncoding) }];
    expect(verify({ scheme: "hmac", onFailure: "reject", hmac, secretEncoding }, secrets, request).ok).toBe(true);
    expect(verify({ scheme: "hmac", onFailure: "reject", hmac }, secrets, request).ok).toBe(false);
  });
});

describe("a signature in base64url", () => {
  const options: HmacOptions = { header: "x-signature", prefix: "", algorithm: "sha256", encoding: "base64url" };
  const digest = createHmac("sha256", "s").update("x").digest();
  const sent = (value: string) => check(options, [["x-signature", value]], Buffer.from("x"), "s").ok;

  it("may be padded or not, and is spelled in one way otherwise", () => {
    const text = digest.toString("base64url");
    expect(sent(text)).toBe(true);
    expect(sent(`${text}=`)).toBe(true);
    for (const other of [`${text}==`, `${text} `, ` ${text}!`, `${text}\n=`, digest.toString("hex")]) {
      expect(sent(other)).toBe(other.trim() === text);
    }
    // The last character carries two bits that decode to nothing.
    const last = text.at(-1) ?? "";
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    expect(sent(text.slice(0, -1) + alphabet[alphabet.indexOf(last) + 1])).toBe(false);
  });
});

describe("a generic HMAC signature of a compressed body", () => {
  const json = Buffer.from('{"type":"message.new"}');
  const signature = "5cd8533f31950cc5ef8d2d9a002ed497394d5c2ae2b1a14fa03d29c25ca28470";
  const covering = (covers: HmacOptions["covers"], coding: string, wire: Buffer, sent = signature) =>
    check(
      { header: "X-Signature", prefix: "", algorithm: "sha256", encoding: "hex", ...(covers && { covers }) },
      [
        ["content-encoding", coding],
        ["x-signature", sent],
      ],
      wire,
      "test-secret",
    );
  const gzip = Buffer.from("H4sIAAAAAAAC/6tWKqksSFWyUspNLS5OTE/Vy0stV6oFANUTSMoWAAAA", "base64");

  it("covers what the source says: the wire by default, or the decoded body", () => {
    expect(covering("decoded", "gzip", gzip).ok).toBe(true);
    expect(covering("wire", "gzip", gzip)).toEqual({ ok: false, reason: "signature mismatch" });
    expect(covering(undefined, "gzip", gzip)).toEqual({ ok: false, reason: "signature mismatch" });
  });

  it("knows the codings of HTTP, one at a time", () => {
    expect(covering("decoded", "BR", brotliCompressSync(json)).ok).toBe(true);
    expect(covering("decoded", "deflate", deflateSync(json)).ok).toBe(true);
    expect(covering("decoded", "identity", json).ok).toBe(true);
    for (const coding of ["gzip, gzip", "zstd", "constructor", ""]) {
      expect(covering("decoded", coding, gzip)).toMatchObject({
        ok: false,
        reason: expect.stringContaining("decoded"),
      });
    }
  });

  it("inflates no further than 6 MiB, and nothing without need", () => {
    const bomb = gzipSync(Buffer.alloc(128 * 1024 * 1024));
    const reason = "body cannot be decoded by its content-encoding, or comes to more than 6 MiB";
    expect(covering("decoded", "gzip", bomb)).toEqual({ ok: false, reason });
    expect(covering("wire", "gzip", bomb)).toEqual({ ok: false, reason: "signature mismatch" });
    expect(covering("decoded", "gzip", bomb, "no digest")).toMatchObject({ reason: expect.stringContaining("digest") });
  });
});
