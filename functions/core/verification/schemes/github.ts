import { headerValue } from "../../header-list.js";
import { matchHmac, signed } from "../match.js";
import { cutPrefix, decodeSignature, digestBytes, readHeader } from "../read-signature.js";
import type { Scheme, Walk } from "../scheme.js";
import { textSecretProblem } from "../secret-form.js";

/**
 * GitHub's `X-Hub-Signature-256: sha256=<hex>` over the raw body, whatever its content type. The prefix is exact, hex
 * may be in either case (the same bytes), and one value only: two joined ones say that something on the way added one.
 * The older SHA-1 header is never enough.
 *
 * Source: GitHub's "Validating webhook deliveries".
 */
export const github: Scheme = {
  summary: "HMAC-SHA256 of the body in X-Hub-Signature-256",
  secret: "the webhook's secret",
  defaultToleranceSeconds: null,
  requires: [],
  allows: [],
  secretProblem: textSecretProblem,
  check(walk) {
    const value = readSignature(walk);
    const hex = value === null ? null : cutPrefix(walk, value, "sha256=");
    const digest = hex === null ? null : decodeSignature(walk, hex, "hex", digestBytes.sha256, "sha256 digest");
    return digest === null ? null : matchHmac(walk, "sha256", [digest], signed("{body}", walk.request.body));
  },
};

function readSignature(walk: Walk): string | null {
  const { headers } = walk.request;
  const old = headerValue(headers, "x-hub-signature") !== null;
  if (!old || headerValue(headers, "x-hub-signature-256") !== null) return readHeader(walk, "x-hub-signature-256");
  const reason = "no sha256 signature: only the SHA-1 header was sent";
  return walk.trace.fail(
    "header x-hub-signature-256",
    "is missing, only the SHA-1 header x-hub-signature is there",
    reason,
  );
}
