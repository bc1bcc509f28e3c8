import type { Provider } from "./provider.js";

export const stripe: Provider = {
  name: "stripe",
  title: "Stripe",
  verification: { scheme: "stripe" },
  secret: "the event destination's signing secret, whsec_…, with its prefix",
  dedupe: { from: "json", pointer: "/id" },
  dedupeNote: "the event's id, evt_…, is the same in every retry",
  eventType: { from: "json", pointer: "/type" },
  handshake: null,
  answer: "event-id",
  headers: ["stripe-signature"],
  sourceFirst: null,
  steps: [
    "In Workbench open Webhooks and create an event destination: choose the events, then the type Webhook endpoint.",
    "Paste {url} as the endpoint URL.",
    "Open the destination, reveal its signing secret, and copy all of it, whsec_ included.",
  ],
  notes: [
    "Each destination has a secret of its own, and so have test and live mode: give each a source, or one source several secrets.",
    "Stripe signs every retry anew, so that the tolerance of 5 minutes holds for retries too.",
  ],
  reference: "https://docs.stripe.com/webhooks",
};
