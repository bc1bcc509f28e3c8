import type { Provider } from "./provider.js";

export const standardWebhooks: Provider = {
  name: "standard-webhooks",
  title: "Standard Webhooks",
  verification: { scheme: "standard-webhooks" },
  secret: "the endpoint's secret, whsec_…, or the sender's public key, whpk_…",
  dedupe: { from: "header", name: "webhook-id" },
  dedupeNote: "the specification's identifier of a message, the same in every retry",
  eventType: { from: "json", pointer: "/type" },
  handshake: null,
  answer: "event-id",
  headers: ["webhook-signature"],
  sourceFirst: null,
  steps: ["Enter {url} as the endpoint's URL at the sender.", "Copy the endpoint's secret."],
  notes: [
    "For every sender that follows the specification (https://www.standardwebhooks.com).",
    "The type is read from the body's member type, as the specification advises. Where a sender has another place for it, say so by --event-type.",
  ],
  reference: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md",
};
