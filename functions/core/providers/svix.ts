import type { Provider } from "./provider.js";

/** Of every sender that Svix signs for: Standard Webhooks under names of its own. */
export const svix: Provider = {
  name: "svix",
  title: "Svix",
  verification: { scheme: "standard-webhooks" },
  secret: "the endpoint's signing secret, whsec_…",
  dedupe: { from: "header", name: "svix-id" },
  dedupeNote: "it is the same when a message is sent again",
  eventType: { from: "json", pointer: "/type" },
  handshake: null,
  answer: "event-id",
  headers: ["svix-signature"],
  sourceFirst: null,
  steps: [
    "In the sender's webhook portal add an endpoint with {url}, and choose its events.",
    "Open the endpoint and reveal its signing secret.",
  ],
  notes: [
    "For every sender whose requests have svix-id, svix-timestamp and svix-signature. Some have the names without brand, webhook-…: then use standard-webhooks.",
    "The type is read from the body's member type, which most senders have. Where yours has none, say --event-type none.",
  ],
  reference: "https://docs.svix.com/receiving/verifying-payloads/how-manual",
};
