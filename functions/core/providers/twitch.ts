import type { Provider } from "./provider.js";

export const twitch: Provider = {
  name: "twitch",
  title: "Twitch EventSub",
  verification: {
    scheme: "hmac",
    hmac: {
      header: "twitch-eventsub-message-signature",
      prefix: "sha256=",
      algorithm: "sha256",
      encoding: "hex",
      content: "{header:twitch-eventsub-message-id}{header:twitch-eventsub-message-timestamp}{body}",
    },
  },
  secret: "the transport's secret: a text of 10 to 100 characters of your own choice",
  dedupe: { from: "header", name: "twitch-eventsub-message-id" },
  dedupeNote: "it is the same when Twitch sends a message again",
  eventType: { from: "header", name: "twitch-eventsub-subscription-type" },
  handshake: "twitch",
  answer: "event-id",
  headers: ["twitch-eventsub-message-signature"],
  sourceFirst: "Twitch asks its question when a subscription is created.",
  steps: [
    'POST to https://api.twitch.tv/helix/eventsub/subscriptions with "transport":{"method":"webhook","callback":"{url}","secret":"…"}, the same secret as here.',
  ],
  notes: [
    "The callback must be https on port 443.",
    "The time is signed, but not in digits: how old a message is, is not checked. A repeated one is recognised by its id.",
    "A revocation arrives as an event too: its twitch-eventsub-message-type is revocation.",
  ],
  reference: "https://dev.twitch.tv/docs/eventsub/handling-webhook-events/",
};
