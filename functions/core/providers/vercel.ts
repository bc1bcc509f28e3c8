import type { Provider } from "./provider.js";

export const vercel: Provider = {
  name: "vercel",
  title: "Vercel",
  verification: {
    scheme: "hmac",
    hmac: { header: "x-vercel-signature", prefix: "", algorithm: "sha1", encoding: "hex" },
  },
  secret: "the webhook's secret; of an integration's webhooks the integration's client secret",
  dedupe: { from: "json", pointer: "/id" },
  dedupeNote: "the event's id",
  eventType: { from: "json", pointer: "/type" },
  handshake: null,
  answer: "empty",
  headers: ["x-vercel-signature"],
  sourceFirst: null,
  steps: [
    "Open the team's Settings, Webhooks, and create a webhook with {url}, its events and projects.",
    "Copy the secret: it is shown once, when the webhook is created.",
  ],
  notes: ["Vercel signs with HMAC-SHA1, which is sound for this purpose."],
  reference: "https://vercel.com/docs/webhooks",
};
