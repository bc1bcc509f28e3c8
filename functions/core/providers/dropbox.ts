import type { Provider } from "./provider.js";

export const dropbox: Provider = {
  name: "dropbox",
  title: "Dropbox",
  verification: {
    scheme: "hmac",
    hmac: { header: "x-dropbox-signature", prefix: "", algorithm: "sha256", encoding: "hex" },
  },
  secret: "the app secret, in the App Console",
  dedupe: null,
  dedupeNote: "a notification names accounts, and has no id: any repeated one asks for the same look at the account",
  eventType: null,
  handshake: "dropbox",
  answer: "empty",
  headers: ["x-dropbox-signature"],
  sourceFirst: "Dropbox asks its question when the URI is added.",
  steps: ["In the App Console open your app, Settings, Webhooks, and add {url} as webhook URI."],
  notes: ["Only accounts are named. Ask the API (files/list_folder/continue) what has changed."],
  reference: "https://www.dropbox.com/developers/reference/webhooks",
};
