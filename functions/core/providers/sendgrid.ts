import type { Provider } from "./provider.js";

export const sendgrid: Provider = {
  name: "sendgrid",
  title: "SendGrid",
  verification: { scheme: "sendgrid" },
  secret: "the event webhook's verification key: a public key, so no secret, but it must be the right one",
  dedupe: null,
  dedupeNote:
    "a request holds many events, each with its own sg_event_id, and no id of its own: tell them apart in the receiver",
  eventType: null,
  handshake: null,
  answer: "empty",
  headers: ["x-twilio-email-event-webhook-signature"],
  sourceFirst: null,
  steps: [
    "Open Settings, Mail Settings, Event Webhooks, and create a webhook with {url} as Post URL.",
    "Choose the events, enable Signature Verification, and save.",
    "Copy the verification key (base64 in one line).",
  ],
  notes: [
    "Without Signature Verification nothing is signed, and everything is refused.",
    "The Inbound Parse webhook is another one: it is not signed in this way.",
  ],
  reference:
    "https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features",
};
