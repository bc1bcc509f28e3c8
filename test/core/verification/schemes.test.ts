import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Headers } from "../../../functions/core/model.js";
import { explainVerification } from "../../../functions/core/verification/explain.js";
import { verificationProblems } from "../../../functions/core/verification/problems.js";
import type { VerifiableRequest } from "../../../functions/core/verification/scheme.js";
import { schemeNames, schemes } from "../../../functions/core/verification/schemes.js";
import { verify } from "../../../functions/core/verification/verify.js";
import { type Reference, references } from "./references.js";

/** The one contract of all schemes, put to each of them by its own reference. */

const anyBytes = fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes));
const anyTime = fc.integer({ min: 1_400_000_000_000, max: 4_000_000_000_000 });
const runs = { numRuns: 30 };

const secretsOf = ({ secret }: Reference) => [{ id: "sec_1", value: secret }];
const check = (reference: Reference, request: VerifiableRequest) =>
  verify(reference.verification, secretsOf(reference), request);

function flipped(bytes: Buffer, position: number): Buffer {
  const changed = Buffer.from(bytes);
  const bit = position % (bytes.length * 8);
  changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return changed;
}

const withHeader = (headers: Headers, name: string, change: (value: string) => string): Headers =>
  headers.map(([key, value]) => [key, key === name ? change(value) : value]);

const flippedText = (text: string, position: number): string =>
  flipped(Buffer.from(text, "latin1"), position).toString("latin1");

it("has a reference for every scheme that takes a secret", () => {
  const named = new Set(references.map(({ verification }) => verification.scheme));
  expect(schemeNames.filter((name) => schemes[name].secret !== null && !named.has(name))).toEqual([]);
});

describe.each(references.map((reference) => [reference.name, reference] as const))("%s", (_, reference) => {
  it("is a sound configuration", () => {
    expect(verificationProblems(reference.verification, [reference.secret])).toEqual([]);
  });

  it("verifies whatever its reference signs, under any of the live secrets, in any case of the header names", () => {
    fc.assert(
      fc.property(anyBytes, anyTime, (bytes, nowMs) => {
        const request = reference.request(bytes, nowMs);
        expect(check(reference, request)).toEqual({ ok: true, secretId: "sec_1" });
        const upperCase = request.headers.map(([name, value]) => [name.toUpperCase(), value] as const);
        const stale = { id: "sec_0", value: staleSecret(reference) };
        const two = [stale, ...secretsOf(reference)];
        expect(verify(reference.verification, two, { ...request, headers: upperCase })).toEqual({
          ok: true,
          secretId: "sec_1",
        });
        expect(verify(reference.verification, [stale], request).ok).toBe(false);
      }),
      runs,
    );
  });

  it("is refused once a bit of the signature has changed", () => {
    fc.assert(
      fc.property(anyBytes, anyTime, fc.nat(), (bytes, nowMs, position) => {
        const request = reference.request(bytes, nowMs, (signature) => flipped(signature, position));
        expect(check(reference, request).ok).toBe(false);
      }),
      runs,
    );
  });

  it.runIf(reference.coversBody)("is refused once a bit of the body has changed", () => {
    fc.assert(
      fc.property(anyBytes, anyTime, fc.nat(), (bytes, nowMs, position) => {
        const request = reference.request(bytes, nowMs);
        fc.pre(request.body.length > 0);
        const body = flipped(request.body, position);
        const same =
          reference.canonical !== undefined && reference.canonical(body) === reference.canonical(request.body);
        expect(check(reference, { ...request, body }).ok && !same).toBe(false);
      }),
      runs,
    );
  });

  it.each(reference.signedHeaders)("is refused once a bit of %s has changed, or without it", (name) => {
    fc.assert(
      fc.property(anyBytes, anyTime, fc.nat(), (bytes, nowMs, position) => {
        const request = reference.request(bytes, nowMs);
        const headers = withHeader(request.headers, name, (value) => flippedText(value, position));
        expect(check(reference, { ...request, headers }).ok).toBe(false);
        const fewer = request.headers.filter(([key]) => key !== name);
        expect(check(reference, { ...request, headers: fewer }).ok).toBe(false);
      }),
      runs,
    );
  });

  it.runIf(reference.verification.publicUrl !== undefined)("is refused at another path or with another query", () => {
    const request = reference.request(Buffer.from("x"), 1_600_000_000_000);
    expect(check(reference, { ...request, suffix: "/orderz" }).ok).toBe(false);
    expect(check(reference, { ...request, query: `${request.query}&c=3` }).ok).toBe(false);
    const elsewhere = { ...reference.verification, publicUrl: "https://hooks.example/in/other" };
    expect(verify(elsewhere, secretsOf(reference), request).ok).toBe(false);
  });

  it("never looks at the Host header", () => {
    const request = reference.request(Buffer.from("x"), 1_600_000_000_000);
    const headers: Headers = [["host", "evil.example"], ["x-forwarded-host", "evil.example"], ...request.headers];
    expect(check(reference, { ...request, headers }).ok).toBe(true);
  });

  it("is explained by the very steps that its verdict came from, without a secret or a signature", () => {
    fc.assert(
      fc.property(anyBytes, anyTime, fc.nat(), fc.boolean(), (bytes, nowMs, position, forged) => {
        const signatures: Buffer[] = [];
        const request = reference.request(bytes, nowMs, (signature) => {
          signatures.push(signature);
          return forged ? flipped(signature, position) : signature;
        });
        const steps = explainVerification(reference.verification, secretsOf(reference), request);
        expect(steps.every(({ ok }) => ok)).toBe(check(reference, request).ok);
        const told = JSON.stringify(steps);
        expect(told).not.toContain(JSON.stringify(reference.secret).slice(1, -1));
        for (const encoding of ["hex", "base64", "base64url"] as const) {
          for (const signature of signatures) expect(told).not.toContain(signature.toString(encoding).slice(0, 16));
        }
      }),
      runs,
    );
  });

  it("neither throws nor verifies, whatever a stranger sends", () => {
    const names = reference.request(Buffer.from("x"), 0).headers.map(([name]) => name);
    const values = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.constantFrom("", " ", ",", "=", "v1,", "v1a,", "t=1,v1=", "ts=1;h1=", "v0=", "sha256=", "Basic ", "Basic :"),
      fc.constantFrom("0", "-1", "1e9", "99999999999999999999", "NaN", "a".repeat(70_000), "é".repeat(64)),
    );
    const headers = fc.array(fc.tuple(fc.constantFrom("content-encoding", ...names), values), { maxLength: 8 });
    const bodies = fc.oneof(
      anyBytes,
      fc.json().map((text) => Buffer.from(text)),
    );
    const texts = fc.string({ unit: "binary", maxLength: 40 });
    fc.assert(
      fc.property(headers, bodies, texts, texts, anyTime, (list, body, suffix, query, nowMs) => {
        const request = { method: "POST", suffix: `/${suffix}`, query, headers: list, body, nowMs };
        expect(check(reference, request).ok).toBe(false);
        expect(explainVerification(reference.verification, secretsOf(reference), request).length).toBeGreaterThan(0);
      }),
      runs,
    );
  });
});

/** Sound for the same scheme, and not the one that signs. */
function staleSecret({ secret, verification }: Reference): string {
  if (secret.startsWith("whsec_") && verification.scheme !== "stripe")
    return `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
  if (secret.startsWith("whpk_")) return `whpk_${Buffer.alloc(32, 9).toString("base64")}`;
  if (verification.scheme === "discord") return "09".repeat(32);
  if (verification.scheme === "sendgrid") {
    return "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqTxd43gyp8IOEto2LdIfjRQrIbsd4SXZkLW6jDutdhXSJCWHw8REntlo7aNDthvj+y7GjUuFDb/R1NGe1OPzpA==";
  }
  return `${secret}:another`;
}
