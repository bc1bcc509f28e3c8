import { matchHmac, signed } from "../match.js";
import { decodeSignature, digestBytes, readHeader } from "../read-signature.js";
import type { Scheme } from "../scheme.js";
import { textSecretProblem } from "../secret-form.js";

/**
 * Shopify's `X-Shopify-Hmac-Sha256: <base64>` over the raw body. No time is signed.
 *
 * Source: Shopify's "Deliver webhooks through HTTPS", section "Verify the webhook".
 */
export const shopify: Scheme = {
  summary: "HMAC-SHA256 of the body, base64, in X-Shopify-Hmac-Sha256",
  secret: "the app's client secret, or the secret that the admin shows for webhooks made there",
  defaultToleranceSeconds: null,
  requires: [],
  allows: [],
  secretProblem: textSecretProblem,
  check(walk) {
    const value = readHeader(walk, "x-shopify-hmac-sha256");
    const digest = value === null ? null : decodeSignature(walk, value, "base64", digestBytes.sha256, "sha256 digest");
    return digest === null ? null : matchHmac(walk, "sha256", [digest], signed("{body}", walk.request.body));
  },
};
