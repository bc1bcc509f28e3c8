import { headerValue } from "../header-list.js";
import type { Headers, HmacOptions } from "../model.js";
import { decodeBase64, decodeHex } from "../strict-decoding.js";
import { digestBytes, matchDigest } from "./hmac-digest.js";
import { type OpenSecret, refuse, type VerificationResult } from "./verdict.js";

/**
 * The generic scheme: one header that holds an optional exact prefix and the HMAC of the raw body. It covers the bytes
 * as they came over the wire: a compressed body is not inflated.
 */
export function verifyHmac(
  options: HmacOptions,
  secrets: readonly OpenSecret[],
  headers: Headers,
  body: Buffer,
): VerificationResult {
  const signature = headerValue(headers, options.header);
  if (signature === null) return refuse("missing signature header");
  if (!signature.startsWith(options.prefix)) return refuse("signature does not start with the source's prefix");
  const text = signature.slice(options.prefix.length);
  const digest = options.encoding === "hex" ? decodeHex(text) : decodeBase64(text);
  if (digest === null || digest.length !== digestBytes[options.algorithm]) {
    return refuse(`signature is not one ${options.algorithm} digest in ${options.encoding}`);
  }
  return matchDigest(digest, options.algorithm, secrets, body);
}
