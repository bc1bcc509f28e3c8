import type { Provider } from "./provider.js";

export const square: Provider = {
  name: "square",
  title: "Square",
  verification: { scheme: "square" },
  secret: "the webhook subscription's signature key",
  dedupe: { from: "json", pointer: "/event_id" },
  dedupeNote: "the value that Square gives for this purpose",
  eventType: { from: "json", pointer: "/type" },
  handshake: null,
  answer: "event-id",
  headers: ["x-square-hmacsha256-signature"],
  sourceFirst: null,
  steps: [
    "In the Developer Console open the application, Webhooks, Subscriptions, and add a subscription with {url} as notification URL.",
    "Choose the API version and the events, and save.",
    "Open the subscription's Endpoint Details, show its Signature Key and copy it.",
  ],
  notes: [
    "The URL is signed: --public-url must be exactly the notification URL.",
    "Each subscription has a key of its own, and so have sandbox and production.",
    "Square retries for 24 hours.",
  ],
  reference: "https://developer.squareup.com/docs/webhooks/step2subscribe",
};
