import type { Provider } from "./provider.js";

export const twilio: Provider = {
  name: "twilio",
  title: "Twilio",
  verification: { scheme: "twilio" },
  secret: "the account's auth token (the subaccount's own, if the number belongs to one)",
  dedupe: { from: "header", name: "i-twilio-idempotency-token" },
  dedupeNote: "Twilio's token for telling a retry from a new request",
  eventType: null,
  handshake: null,
  answer: "twiml",
  headers: ["x-twilio-signature"],
  sourceFirst: null,
  steps: [
    "In the Console open the phone number or the messaging service, and paste {url} as its webhook, with the method HTTP POST.",
    "Copy the auth token from the Console's start page.",
  ],
  notes: [
    "The URL is signed: --public-url must be exactly what the Console has, apart from the query.",
    "The answer is TwiML that does nothing: no call or message is answered with content. For callbacks that want none it does no harm.",
    "When the auth token is changed, give the source both until the old one is gone.",
  ],
  reference: "https://www.twilio.com/docs/usage/webhooks/webhooks-security",
};
