import { matchHmac } from "../match.js";
import { decodeSignature, digestBytes, readHeader } from "../read-signature.js";
import type { Scheme } from "../scheme.js";
import { textSecretProblem } from "../secret-form.js";
import { publicUrlProblems, signedUrls } from "../signed-url.js";

/**
 * Square's `x-square-hmacsha256-signature: <base64>` over the notification URL and the raw body. No time is signed.
 *
 * Source: Square's "Verify and validate an event notification".
 */
export const square: Scheme = {
  summary: "HMAC-SHA256 of {url}{body}, base64, in x-square-hmacsha256-signature",
  secret: "the webhook subscription's signature key",
  defaultToleranceSeconds: null,
  requires: ["publicUrl"],
  allows: [],
  problems: publicUrlProblems,
  secretProblem: textSecretProblem,
  check(walk) {
    const { verification, request } = walk;
    const value = readHeader(walk, "x-square-hmacsha256-signature");
    const digest = value === null ? null : decodeSignature(walk, value, "base64", digestBytes.sha256, "sha256 digest");
    const spellings = signedUrls(verification, request).map((url) => [url, request.body]);
    return digest === null ? null : matchHmac(walk, "sha256", [digest], { template: "{url}{body}", spellings });
  },
};
