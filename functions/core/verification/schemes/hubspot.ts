import { matchHmac } from "../match.js";
import { decodeSignature, digestBytes, readHeader } from "../read-signature.js";
import type { Scheme } from "../scheme.js";
import { textSecretProblem } from "../secret-form.js";
import { readTime } from "../signed-time.js";
import { publicUrlProblems, signedUrls } from "../signed-url.js";

/** The escapes that HubSpot decodes in the URL before it signs; all others stay. */
const decodedEscapes = /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi;

/**
 * HubSpot's `X-HubSpot-Signature-v3: <base64>` over method, URL, raw body and a time in milliseconds.
 *
 * Source: HubSpot's "Validating requests", section on the v3 signature.
 */
export const hubspot: Scheme = {
  summary: "HMAC-SHA256 of {method}{url}{body}{timestamp}, base64, in X-HubSpot-Signature-v3",
  secret: "the app's client secret",
  defaultToleranceSeconds: 300,
  requires: ["publicUrl"],
  allows: ["toleranceSeconds"],
  problems: publicUrlProblems,
  secretProblem: textSecretProblem,
  check(walk) {
    const { verification, request } = walk;
    const value = readHeader(walk, "x-hubspot-signature-v3");
    const digest = value === null ? null : decodeSignature(walk, value, "base64", digestBytes.sha256, "sha256 digest");
    const text = readHeader(walk, "x-hubspot-request-timestamp", "timestamp");
    const time = text === null ? null : readTime(walk, text, "milliseconds");
    if (digest === null || time === null) return null;
    const urls = new Set(signedUrls(verification, request).map(decodeSome));
    const spellings = [...urls].map((url) => [request.method + url, request.body, time]);
    return matchHmac(walk, "sha256", [digest], { template: "{method}{url}{body}{timestamp}", spellings });
  },
};

const decodeSome = (url: string): string => url.replace(decodedEscapes, decodeURIComponent);
