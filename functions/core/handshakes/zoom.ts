import { createHmac } from "node:crypto";
import { jsonMembers } from "./json-body.js";
import type { HandshakeRequest, RecognisedHandshake } from "./recognised.js";

/**
 * What a plain token may be. Zoom's signatures are HMACs under the same secret of `v0:{timestamp}:{body}`: a token with
 * a colon would make this answer a signature of whatever the caller wants to have signed.
 */
const plainTokenPattern = /^[A-Za-z0-9_+/=-]{1,256}$/;

/**
 * `{"event":"endpoint.url_validation","payload":{"plainToken":"…"}}`: sent when the URL is set and every 72 hours,
 * signed as every event. Answered with the token and its HMAC-SHA256 in hex under the secret token.
 *
 * Source: Zoom's "Using webhooks", validate your webhook endpoint.
 */
export function recogniseZoom({ method, body }: HandshakeRequest): RecognisedHandshake | null {
  const members = method === "POST" ? jsonMembers(body) : null;
  if (members?.["event"] !== "endpoint.url_validation") return null;
  return {
    signed: true,
    reply: ({ verifiedBy }) => {
      const { plainToken } = (members["payload"] ?? {}) as { readonly plainToken?: unknown };
      if (typeof plainToken !== "string" || !plainTokenPattern.test(plainToken)) {
        return { refused: "the plain token is none" };
      }
      if (verifiedBy === null) return { refused: "the source has no secret to answer with" };
      return {
        json: { plainToken, encryptedToken: createHmac("sha256", verifiedBy).update(plainToken).digest("hex") },
      };
    },
  };
}
