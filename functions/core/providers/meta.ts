import type { Provider } from "./provider.js";

export const meta: Provider = {
  name: "meta",
  title: "Meta (WhatsApp, Messenger, Instagram)",
  verification: {
    scheme: "hmac",
    hmac: { header: "x-hub-signature-256", prefix: "sha256=", algorithm: "sha256", encoding: "hex" },
  },
  secret: "the app secret: App settings, Basic",
  dedupe: null,
  dedupeNote: "a request holds several changes and no id of its own: tell messages apart by their ids in the receiver",
  eventType: { from: "json", pointer: "/object" },
  handshake: "meta",
  answer: "empty",
  headers: ["x-hub-signature-256"],
  sourceFirst: "Meta asks for the verify token, a text of your own choice, the moment the URL is saved.",
  steps: [
    "In the App Dashboard open the product's webhooks (for WhatsApp: Configuration), paste {url} as Callback URL, enter the same verify token, and save.",
    "Subscribe to the fields, such as messages.",
  ],
  notes: [
    "The type is the kind of object, such as whatsapp_business_account, page or instagram.",
    "The app secret signs for every product of the app; the verify token only answers the question.",
  ],
  reference: "https://developers.facebook.com/docs/graph-api/webhooks/getting-started",
};
