import { headerValue } from "../header-list.js";
import type { Headers } from "../model.js";
import { decodeHex } from "../strict-decoding.js";
import { digestBytes, matchDigest } from "./hmac-digest.js";
import { type OpenSecret, refuse, type VerificationResult } from "./verdict.js";

/**
 * GitHub's `X-Hub-Signature-256: sha256=<hex>` over the raw body, whatever its content type. The prefix is exact, hex
 * may be in either case (the same bytes), and one value only: two joined ones say that something on the way added one.
 * The older SHA-1 header is never enough.
 *
 * Source: GitHub's "Validating webhook deliveries".
 */
export function verifyGithub(secrets: readonly OpenSecret[], headers: Headers, body: Buffer): VerificationResult {
  const signature = headerValue(headers, "x-hub-signature-256");
  if (signature === null) return refuse(missingReason(headers));
  if (!signature.startsWith("sha256=")) return refuse("signature does not start with sha256=");
  const digest = decodeHex(signature.slice("sha256=".length));
  if (digest === null || digest.length !== digestBytes.sha256) {
    return refuse("signature is not one SHA-256 digest in hex");
  }
  return matchDigest(digest, "sha256", secrets, body);
}

function missingReason(headers: Headers): string {
  const sha1Only = headerValue(headers, "x-hub-signature") !== null;
  return sha1Only ? "no sha256 signature: only the SHA-1 header was sent" : "missing signature header";
}
