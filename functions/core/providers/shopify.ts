import type { Provider } from "./provider.js";

export const shopify: Provider = {
  name: "shopify",
  title: "Shopify",
  verification: { scheme: "shopify" },
  secret:
    "the app's client secret; for webhooks made in the admin the key that Settings, Notifications, Webhooks shows",
  dedupe: { from: "header", name: "x-shopify-webhook-id" },
  dedupeNote:
    "it is the same in every retry of one webhook. X-Shopify-Event-Id is not: all topics and subscriptions that one event sets off share it, and all but the first would be dropped",
  eventType: { from: "header", name: "x-shopify-topic" },
  handshake: null,
  answer: "event-id",
  headers: ["x-shopify-hmac-sha256", "x-shopify-topic"],
  sourceFirst: null,
  steps: [
    "For an app: name {url} as the uri of its webhook subscriptions, in shopify.app.toml or over the Admin API. For one shop: in the admin open Settings, Notifications, Webhooks, and create a webhook with the format JSON and the URL {url}.",
    "Copy the secret: an app's from its client credentials, a shop's from below the list of webhooks.",
  ],
  notes: [
    "Webhooks of an app and those made in the admin are signed with different secrets: give the source both when both come to it.",
    "If you subscribe to each topic once, and want events that share X-Shopify-Event-Id to be one, say so: --dedupe header:x-shopify-event-id.",
    "Shopify's newer Events (developer preview) use headers without X-, such as Shopify-Hmac-Sha256: the scheme does not take them.",
  ],
  reference: "https://shopify.dev/docs/apps/build/webhooks",
};
