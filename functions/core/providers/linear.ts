import type { Provider } from "./provider.js";

export const linear: Provider = {
  name: "linear",
  title: "Linear",
  verification: { scheme: "linear" },
  secret: "the webhook's signing secret, on its page",
  dedupe: { from: "header", name: "linear-delivery" },
  dedupeNote: "it names the delivery",
  eventType: { from: "header", name: "linear-event" },
  handshake: null,
  answer: "empty",
  headers: ["linear-signature"],
  sourceFirst: null,
  steps: [
    "Open Settings, API, and create a webhook with {url}.",
    "Choose the team and the data change events, and save.",
    "Copy the signing secret from the webhook's page.",
  ],
  notes: [
    "The type is the kind of object, such as Issue; what happened to it is the body's action, which a filter can ask for.",
    "The time is in the body, and may be off by a minute.",
  ],
  reference: "https://linear.app/developers/webhooks",
};
