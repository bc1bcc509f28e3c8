import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maskSecrets, secretsOf } from "../../functions/core/mask-secrets.js";

const key = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw/fKQ9r8GKYo=";
const mask = (text: string, secrets = [key]) => maskSecrets(Buffer.from(text), secrets).toString();

describe("secrets of a destination", () => {
  it("are the keys of its signing secrets and the tokens in its URL", () => {
    const url = "https://hooks.example/services/T024BE7LD/a1b2c3d4e5f6g7h8?token=s3cr3t-t0ken&v=2";
    expect(secretsOf(url, [`whsec_${key}`])).toEqual([key, "s3cr3t-t0ken", "a1b2c3d4e5f6g7h8"]);
  });

  it("are the values of its secret headers, their parts and passwords", () => {
    const basic = Buffer.from("operator:s3cr3t-t0ken").toString("base64");
    const secrets = secretsOf("https://hooks.example/", [], ["Bearer abcdefgh12", `Basic ${basic}`, "short"]);
    for (const each of ["Bearer abcdefgh12", "abcdefgh12", basic, "s3cr3t-t0ken"]) expect(secrets).toContain(each);
    expect(secrets).not.toContain("Bearer");
    expect(secrets).not.toContain("short");
  });

  it("are not the words of its path", () => {
    expect(secretsOf("https://hooks.example/webhooks/stripe-events-handler", [])).toEqual([]);
  });
});

describe("a masked text", () => {
  it("has the same length and no secret, wherever it stood and however it was written", () => {
    const stars = (text: string) => "*".repeat(text.length);
    expect(mask(`{"secret":"whsec_${key}","again":"${key}"}`)).toBe(
      `{"secret":"whsec_${stars(key)}","again":"${stars(key)}"}`,
    );
    const json = key.replaceAll("/", "\\/");
    expect(mask(`"${json}"`)).toBe(`"${stars(json)}"`);
    const url = encodeURIComponent(key);
    expect(mask(`?key=${url}&a`)).toBe(`?key=${stars(url)}&a`);
  });

  it("shows no beginning of a secret that was cut at its end", () => {
    for (let length = 4; length < key.length; length++) {
      expect(mask(`secret: ${key.slice(0, length)}`)).toBe(`secret: ${"*".repeat(length)}`);
    }
  });

  it("is the same bytes when no secret is in them, text or not", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(maskSecrets(Buffer.from(bytes), [key])).toEqual(Buffer.from(bytes));
      }),
    );
  });
});
