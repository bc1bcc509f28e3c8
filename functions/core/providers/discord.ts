import type { Provider } from "./provider.js";

export const discord: Provider = {
  name: "discord",
  title: "Discord",
  verification: { scheme: "discord" },
  secret: "the application's public key: General Information (no secret, but it must be the right one)",
  dedupe: null,
  dedupeNote: "Discord documents no id of a webhook event",
  eventType: { from: "json", pointer: "/event/type" },
  handshake: null,
  answer: "no-content",
  headers: ["x-signature-ed25519"],
  sourceFirst: "Discord sends a PING when the URL is saved, and one with a wrong signature, which must be refused.",
  steps: [
    "In the Developer Portal open the application, Webhooks, and paste {url} as Endpoint.",
    "Turn Events on, choose them, and save.",
  ],
  notes: [
    "Webhook events only. Interactions (commands, buttons) have to be answered with content at once, which a relay does not have.",
    "The PING is answered with 204, as Discord asks for, and arrives as an event without a type.",
  ],
  reference: "https://docs.discord.com/developers/events/webhook-events",
};
