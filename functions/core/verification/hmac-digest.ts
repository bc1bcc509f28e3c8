import { createHmac, timingSafeEqual } from "node:crypto";
import type { HmacOptions } from "../model.js";
import { type OpenSecret, refuse, type VerificationResult } from "./verdict.js";

/** Digest length in bytes. */
export const digestBytes: Readonly<Record<HmacOptions["algorithm"], number>> = { sha1: 20, sha256: 32, sha512: 64 };

/**
 * Compares a decoded digest with the HMAC of the raw body under each secret, in constant time per secret. The key is
 * the secret's UTF-8 text as it stands. A digest of another length than the algorithm's matches nothing.
 */
export function matchDigest(
  digest: Buffer,
  algorithm: HmacOptions["algorithm"],
  secrets: readonly OpenSecret[],
  body: Buffer,
): VerificationResult {
  const matches = (secret: OpenSecret): boolean => {
    const expected = createHmac(algorithm, secret.value).update(body).digest();
    return digest.length === expected.length && timingSafeEqual(digest, expected);
  };
  const match = secrets.find(matches);
  return match === undefined ? refuse("signature mismatch") : { ok: true, secretId: match.id };
}
