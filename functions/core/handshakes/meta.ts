import { createHash, timingSafeEqual } from "node:crypto";
import { echo } from "./echo.js";
import type { HandshakeRequest, RecognisedHandshake } from "./recognised.js";

/**
 * `GET ?hub.mode=subscribe&hub.verify_token=…&hub.challenge=…`: the challenge is echoed to whoever knows the token.
 *
 * Source: Meta's "Webhooks: Getting Started", verification requests.
 */
export function recogniseMeta({ method, query }: HandshakeRequest): RecognisedHandshake | null {
  const parameters = new URLSearchParams(query);
  if (method !== "GET" || parameters.get("hub.mode") !== "subscribe") return null;
  const token = parameters.get("hub.verify_token") ?? "";
  return {
    signed: false,
    reply: ({ verifyToken }) =>
      verifyToken !== null && sameText(token, verifyToken)
        ? echo(parameters.get("hub.challenge"))
        : { refused: "the verify token is another" },
  };
}

/** In constant time, whatever the lengths. */
const sameText = (a: string, b: string): boolean => timingSafeEqual(sha256(a), sha256(b));

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
