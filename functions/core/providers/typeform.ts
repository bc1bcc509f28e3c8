import type { Provider } from "./provider.js";

export const typeform: Provider = {
  name: "typeform",
  title: "Typeform",
  verification: {
    scheme: "hmac",
    hmac: { header: "typeform-signature", prefix: "sha256=", algorithm: "sha256", encoding: "base64" },
  },
  secret: "the webhook's secret, a long random text of your own choice",
  dedupe: { from: "json", pointer: "/event_id" },
  dedupeNote: "the event's id",
  eventType: { from: "json", pointer: "/event_type" },
  handshake: null,
  answer: "empty",
  headers: ["typeform-signature"],
  sourceFirst: null,
  steps: [
    "Open the form, Connect, Webhooks, and add a webhook with {url}.",
    "Edit it, enter the secret, and turn it on: a new webhook is off.",
  ],
  notes: ["Without a secret nothing is signed, and everything is refused."],
  reference: "https://www.typeform.com/developers/webhooks/secure-your-webhooks/",
};
