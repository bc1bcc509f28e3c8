import { echo } from "./echo.js";
import { jsonMembers } from "./json-body.js";
import type { HandshakeRequest, RecognisedHandshake } from "./recognised.js";

/**
 * `{"type":"url_verification","challenge":"…"}`: sent once, when the request URL is set, and signed as every event.
 *
 * Source: Slack's "url_verification event".
 */
export function recogniseSlack({ method, body }: HandshakeRequest): RecognisedHandshake | null {
  const members = method === "POST" ? jsonMembers(body) : null;
  if (members?.["type"] !== "url_verification") return null;
  return { signed: true, reply: () => echo(members["challenge"]) };
}
