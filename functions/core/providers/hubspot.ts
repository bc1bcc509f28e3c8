import type { Provider } from "./provider.js";

export const hubspot: Provider = {
  name: "hubspot",
  title: "HubSpot",
  verification: { scheme: "hubspot" },
  secret: "the app's client secret",
  dedupe: null,
  dedupeNote: "a request holds up to 100 notifications, and no id of its own: tell them apart in the receiver",
  eventType: null,
  handshake: null,
  answer: "empty",
  headers: ["x-hubspot-signature-v3"],
  sourceFirst: null,
  steps: [
    "Set {url} as the target URL of the app's webhooks: in the app's settings, or as targetUrl in its *-hsmeta.json file.",
    "Subscribe to the events.",
    "Copy the client secret from the app's Auth page.",
  ],
  notes: [
    "The URL is signed: --public-url must be exactly the target URL, apart from the query.",
    "The body is a JSON array. A filter can look at its first entry only, e.g. at /0/subscriptionType.",
    "Only version 3 of the signature is taken: versions 1 and 2 sign no time.",
  ],
  reference: "https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/request-validation",
};
