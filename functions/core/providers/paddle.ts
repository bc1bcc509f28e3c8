import type { Provider } from "./provider.js";

export const paddle: Provider = {
  name: "paddle",
  title: "Paddle",
  verification: { scheme: "paddle" },
  secret: "the notification destination's secret key, pdl_ntfset_…",
  dedupe: { from: "json", pointer: "/event_id" },
  dedupeNote: "Paddle's key for duplicates; notification_id differs by destination",
  eventType: { from: "json", pointer: "/event_type" },
  handshake: null,
  answer: "empty",
  headers: ["paddle-signature"],
  sourceFirst: null,
  steps: [
    "Open Developer tools, Notifications, and create a destination of the type URL with {url}.",
    "Choose the events and save, then edit the destination and copy its secret key.",
  ],
  notes: [
    "Paddle Billing only: Paddle Classic signs in another way.",
    "Paddle wants 200 within 5 seconds. In live accounts it retries up to 60 times in 3 days, in the sandbox 3 times in 15 minutes.",
    "Paddle publishes the addresses that it sends from, other ones for sandbox and live.",
  ],
  reference: "https://developer.paddle.com/webhooks/about/respond-to-webhooks",
};
