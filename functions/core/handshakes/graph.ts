import { echo } from "./echo.js";
import type { HandshakeRequest, RecognisedHandshake } from "./recognised.js";

/**
 * `POST ?validationToken=…`, unsigned: the decoded token is echoed as plain text.
 *
 * Source: Microsoft Graph's "Receive change notifications through webhooks", notificationUrl validation.
 */
export function recogniseGraph({ method, query }: HandshakeRequest): RecognisedHandshake | null {
  const token = method === "POST" ? new URLSearchParams(query).get("validationToken") : null;
  return token === null ? null : { signed: false, reply: () => echo(token) };
}
