import { headerValue } from "../header-list.js";
import { echo } from "./echo.js";
import { jsonMembers } from "./json-body.js";
import type { HandshakeRequest, RecognisedHandshake } from "./recognised.js";

/**
 * A message of the type `webhook_callback_verification`, signed as every other one; its challenge is echoed.
 *
 * Source: Twitch's "Handling webhook events", responding to a challenge request.
 */
export function recogniseTwitch({ method, headers, body }: HandshakeRequest): RecognisedHandshake | null {
  const type = headerValue(headers, "twitch-eventsub-message-type");
  if (method !== "POST" || type !== "webhook_callback_verification") return null;
  return { signed: true, reply: () => echo(jsonMembers(body)?.["challenge"]) };
}
