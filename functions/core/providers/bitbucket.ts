import type { Provider } from "./provider.js";

export const bitbucket: Provider = {
  name: "bitbucket",
  title: "Bitbucket Cloud",
  verification: {
    scheme: "hmac",
    hmac: { header: "x-hub-signature", prefix: "sha256=", algorithm: "sha256", encoding: "hex" },
  },
  secret: "the webhook's secret",
  dedupe: { from: "header", name: "x-request-uuid" },
  dedupeNote: "it is the same in every retry",
  eventType: { from: "header", name: "x-event-key" },
  handshake: null,
  answer: "empty",
  headers: ["x-event-key"],
  sourceFirst: null,
  steps: [
    "In the repository or workspace open its settings, Webhooks, and add a webhook with {url}.",
    "Generate a secret or enter one, choose the triggers, leave certificate verification enabled, and save.",
  ],
  notes: [
    "Without a secret nothing is signed, and everything is refused.",
    "Types such as repo:push hold no dot: --types takes them as a whole.",
  ],
  reference: "https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/",
};
