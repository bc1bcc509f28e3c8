import type { Provider } from "./provider.js";

export const zendesk: Provider = {
  name: "zendesk",
  title: "Zendesk",
  verification: {
    scheme: "hmac",
    hmac: {
      header: "x-zendesk-webhook-signature",
      prefix: "",
      algorithm: "sha256",
      encoding: "base64",
      content: "{header:x-zendesk-webhook-signature-timestamp}{body}",
    },
  },
  secret: "the webhook's signing secret",
  dedupe: { from: "header", name: "x-zendesk-webhook-invocation-id" },
  dedupeNote: "it names the invocation",
  eventType: { from: "json", pointer: "/type" },
  handshake: null,
  answer: "empty",
  headers: ["x-zendesk-webhook-signature"],
  sourceFirst: null,
  steps: [
    "In Admin Center open Apps and integrations, Webhooks, and create a webhook with {url}; subscribe it to events, or connect it to a trigger or automation.",
    "Open the webhook's details, reveal its signing secret, and copy it.",
  ],
  notes: [
    "Events have a type; bodies of triggers and automations are what you write, and have one if you put it there.",
    "The time is signed, but not in digits: how old a request is, is not checked. A repeated one is recognised by its id.",
  ],
  reference: "https://developer.zendesk.com/documentation/webhooks/verifying/",
};
