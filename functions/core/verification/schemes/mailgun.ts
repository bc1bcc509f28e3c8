import { asObject, readJsonObject } from "../json-body.js";
import { matchHmac, signed } from "../match.js";
import { decodeSignatures, digestBytes } from "../read-signature.js";
import type { Scheme } from "../scheme.js";
import { textSecretProblem } from "../secret-form.js";
import { readTime } from "../signed-time.js";

/** Mailgun tries again for 8 hours, and does not say that it signs anew. */
const eightHours = 28_800;

/** A token has 50 characters; room for a longer one. */
const tokenPattern = /^[!-~]{1,200}$/;

/**
 * Largest body, in bytes, that is parsed before anything is known of its sender: 6 MB of brackets keep a parser busy for
 * a second. Mailgun's events have some KB.
 */
const largestBody = 1024 * 1024;

/**
 * Mailgun's `signature` object inside the JSON body: hex HMAC-SHA256 over its timestamp and token, and for a
 * subaccount a second one under the main account's key. The event itself is not covered: the signature proves that
 * the sender has seen one of Mailgun's, not what it said.
 *
 * Source: Mailgun's "Securing webhooks".
 */
export const mailgun: Scheme = {
  summary: "HMAC-SHA256 of the timestamp and token in the JSON body's signature object (the event is not covered)",
  secret: "the account's webhook signing key",
  defaultToleranceSeconds: eightHours,
  requires: [],
  allows: ["toleranceSeconds"],
  secretProblem: textSecretProblem,
  check(walk) {
    const bytes = walk.request.body.length;
    if (bytes > largestBody) {
      return walk.trace.fail(
        "body",
        `has ${bytes} bytes: Mailgun's have at most 1 MiB`,
        "body is too large for Mailgun",
      );
    }
    const fields = asObject(readJsonObject(walk.request.body)?.["signature"]);
    const { timestamp, token, signature, "parent-signature": parent } = fields ?? {};
    if (typeof token !== "string" || !tokenPattern.test(token)) {
      return walk.trace.fail("body", "is not JSON with signature.token", "no signature object in the body");
    }
    walk.trace.pass("body", "is JSON with signature.token");
    const time = readTime(walk, typeof timestamp === "number" ? String(timestamp) : text(timestamp), "seconds");
    const digests = decodeSignatures(walk, [text(signature), text(parent)], "hex", digestBytes.sha256, "sha256 digest");
    if (time === null || digests === null) return null;
    return matchHmac(walk, "sha256", digests, signed("{timestamp}{token}", time + token));
  },
};

const text = (value: unknown): string => (typeof value === "string" ? value : "");
