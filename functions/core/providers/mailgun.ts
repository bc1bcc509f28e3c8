import type { Provider } from "./provider.js";

export const mailgun: Provider = {
  name: "mailgun",
  title: "Mailgun",
  verification: { scheme: "mailgun" },
  secret: "the HTTP webhook signing key (not the API key)",
  dedupe: { from: "json", pointer: "/event-data/id" },
  dedupeNote: "the event's id",
  eventType: { from: "json", pointer: "/event-data/event" },
  handshake: null,
  answer: "empty",
  headers: [],
  sourceFirst: null,
  steps: [
    "Copy the HTTP webhook signing key from the account's API security page.",
    "Open the Webhooks tab, choose the domain, and add a webhook with {url} for each kind of event.",
  ],
  notes: [
    "The signature is inside the body and covers a time and a token, not the event: it proves that the sender has seen a message of Mailgun's, no more.",
    'Mailgun takes 200 alone for success (hence the answer), 406 for "do not send again", and retries for 8 hours after anything else.',
  ],
  reference: "https://documentation.mailgun.com/docs/mailgun/user-manual/events/webhooks",
};
