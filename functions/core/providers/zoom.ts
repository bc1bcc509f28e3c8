import type { Provider } from "./provider.js";

export const zoom: Provider = {
  name: "zoom",
  title: "Zoom",
  verification: { scheme: "zoom" },
  secret: "the app's secret token, on the page where event subscriptions are added",
  dedupe: null,
  dedupeNote: "Zoom documents no id that is the same in a retry",
  eventType: { from: "json", pointer: "/event" },
  handshake: "zoom",
  answer: "empty",
  headers: ["x-zm-signature"],
  sourceFirst: "Zoom asks its question when the URL is validated.",
  steps: [
    "In the Zoom App Marketplace open your app, Features, Access: copy the secret token, enable Event Subscriptions, and add one.",
    "Paste {url} as Event notification endpoint URL, choose the event types, validate, save.",
  ],
  notes: [
    "Zoom validates again every 72 hours: the relay answers by itself, as long as the secret is right.",
    "Zoom takes 200 and 204 only, within 3 seconds.",
  ],
  reference: "https://developers.zoom.us/docs/api/webhooks/",
};
