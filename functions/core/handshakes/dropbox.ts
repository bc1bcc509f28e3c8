import { echo } from "./echo.js";
import type { HandshakeRequest, RecognisedHandshake } from "./recognised.js";

/**
 * `GET ?challenge=…`, unsigned: the challenge is echoed.
 *
 * Source: Dropbox's "Webhooks", the verification request.
 */
export function recogniseDropbox({ method, query }: HandshakeRequest): RecognisedHandshake | null {
  const challenge = method === "GET" ? new URLSearchParams(query).get("challenge") : null;
  return challenge === null ? null : { signed: false, reply: () => echo(challenge) };
}
