import type { Provider } from "./provider.js";

export const github: Provider = {
  name: "github",
  title: "GitHub",
  verification: { scheme: "github" },
  secret: "the webhook's secret, a long random text of your own choice",
  dedupe: { from: "header", name: "x-github-delivery" },
  dedupeNote: "it names the event: a redelivery from GitHub's page has the same one, and is the same event here",
  eventType: { from: "header", name: "x-github-event" },
  handshake: null,
  answer: "event-id",
  headers: ["x-github-event"],
  sourceFirst: null,
  steps: [
    "In the repository, organisation or app open Settings, Webhooks, and add a webhook.",
    "Paste {url} as Payload URL, choose the content type application/json, enter the secret, leave SSL verification enabled.",
    "Choose the events and save: GitHub sends a ping, which arrives as an event of the type ping.",
  ],
  notes: [
    "GitHub does not retry by itself. What it sent while the relay could not be reached has to be redelivered from its page, or over its API, within 3 days.",
    "Payloads may have up to 25 MB; what is larger than the gateway takes is refused with 413.",
    "The addresses that GitHub sends from are listed at https://api.github.com/meta, under hooks.",
  ],
  reference: "https://docs.github.com/en/webhooks/using-webhooks/creating-webhooks",
};
