import type { HandshakeRequest, RecognisedHandshake } from "./recognised.js";
import { readSnsMessage } from "./sns-message.js";
import { confirmationProblem } from "./sns-urls.js";

/**
 * A `SubscriptionConfirmation` is answered by a GET of its URL; an `UnsubscribeConfirmation` has the same URL, which
 * would subscribe again, and is only noted. Both are signed as every notification is.
 *
 * Source: Amazon SNS's "Message/JSON formats" for HTTP/S endpoints.
 */
export function recogniseSns({ method, body }: HandshakeRequest): RecognisedHandshake | null {
  const message = method === "POST" ? readSnsMessage(body) : null;
  if (message === null || message.Type === "Notification") return null;
  if (message.Type === "UnsubscribeConfirmation") {
    return { signed: true, reply: () => ({ noted: "somebody ended the subscription to the topic" }) };
  }
  return {
    signed: true,
    reply: () => {
      const problem = confirmationProblem(message);
      return problem === null ? { confirm: message.SubscribeURL ?? "" } : { refused: problem };
    },
  };
}
