import type { Provider } from "./provider.js";

export const microsoftGraph: Provider = {
  name: "microsoft-graph",
  title: "Microsoft Graph",
  verification: null,
  secret: null,
  dedupe: null,
  dedupeNote: "a request holds several notifications and no id of its own",
  eventType: null,
  handshake: "graph",
  answer: "event-id",
  headers: [],
  sourceFirst: "Graph asks its question when a subscription is created.",
  steps: [
    "Choose a source id that nobody can guess, and POST to https://graph.microsoft.com/v1.0/subscriptions with {url} as notificationUrl (and lifecycleNotificationUrl), and a long random clientState.",
    "Renew the subscription before its expirationDateTime.",
  ],
  notes: [
    "Graph signs nothing, so that the relay cannot verify: every request is accepted. The receiver must compare clientState in each notification, and validate validationTokens where there are any.",
    "A subscription's filter on /value/0/clientState keeps strangers' requests from your destination; its text is shown to whoever may read subscriptions.",
  ],
  reference: "https://learn.microsoft.com/graph/change-notifications-delivery-webhooks",
};
