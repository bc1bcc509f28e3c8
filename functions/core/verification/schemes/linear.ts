import { readJsonObject } from "../json-body.js";
import { matchHmac, signed } from "../match.js";
import { decodeSignature, digestBytes, readHeader } from "../read-signature.js";
import type { Scheme } from "../scheme.js";
import { textSecretProblem } from "../secret-form.js";
import { readTime } from "../signed-time.js";

/**
 * Linear's `Linear-Signature: <hex>` over the raw body; the time is the body's `webhookTimestamp` in milliseconds, read
 * once the body is known to be Linear's. Linear advises a minute.
 *
 * Source: Linear's "Webhooks", section "Securing webhooks".
 */
export const linear: Scheme = {
  summary: "HMAC-SHA256 of the body, hex, in Linear-Signature; time in the body's webhookTimestamp",
  secret: "the webhook's signing secret",
  defaultToleranceSeconds: 60,
  requires: [],
  allows: ["toleranceSeconds"],
  secretProblem: textSecretProblem,
  check(walk) {
    const { body } = walk.request;
    const value = readHeader(walk, "linear-signature");
    const digest = value === null ? null : decodeSignature(walk, value, "hex", digestBytes.sha256, "sha256 digest");
    const match = digest === null ? null : matchHmac(walk, "sha256", [digest], signed("{body}", body));
    if (match === null) return null;
    const time = readJsonObject(body)?.["webhookTimestamp"];
    return readTime(walk, typeof time === "number" ? String(time) : "", "milliseconds") === null ? null : match;
  },
};
