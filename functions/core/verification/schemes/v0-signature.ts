import { matchHmac, signed } from "../match.js";
import { cutPrefix, decodeSignature, digestBytes, readHeader } from "../read-signature.js";
import type { Scheme } from "../scheme.js";
import { textSecretProblem } from "../secret-form.js";
import { readTime } from "../signed-time.js";

/** `v0=<hex>` over `v0:{timestamp}:{body}`, as Slack began it and Zoom took it over. */
function v0Signature(names: { readonly signature: string; readonly timestamp: string }): Scheme["check"] {
  return (walk) => {
    const value = readHeader(walk, names.signature);
    const hex = value === null ? null : cutPrefix(walk, value, "v0=");
    const digest = hex === null ? null : decodeSignature(walk, hex, "hex", digestBytes.sha256, "sha256 digest");
    const text = digest === null ? null : readHeader(walk, names.timestamp, "timestamp");
    const time = text === null ? null : readTime(walk, text, "seconds");
    if (digest === null || time === null) return null;
    return matchHmac(walk, "sha256", [digest], signed("v0:{timestamp}:{body}", `v0:${time}:`, walk.request.body));
  };
}

const common = {
  defaultToleranceSeconds: 300,
  requires: [],
  allows: ["toleranceSeconds"],
  secretProblem: textSecretProblem,
} as const;

/** Source: Slack's "Verifying requests from Slack". */
export const slack: Scheme = {
  ...common,
  summary: "HMAC-SHA256 of v0:{timestamp}:{body}, hex, in X-Slack-Signature",
  secret: "the app's signing secret",
  check: v0Signature({ signature: "x-slack-signature", timestamp: "x-slack-request-timestamp" }),
};

/** Source: Zoom's "Using webhooks", section "Verify webhook events". */
export const zoom: Scheme = {
  ...common,
  summary: "HMAC-SHA256 of v0:{timestamp}:{body}, hex, in x-zm-signature",
  secret: "the app's secret token",
  check: v0Signature({ signature: "x-zm-signature", timestamp: "x-zm-request-timestamp" }),
};
