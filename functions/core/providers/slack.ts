import type { Provider } from "./provider.js";

export const slack: Provider = {
  name: "slack",
  title: "Slack",
  verification: { scheme: "slack" },
  secret: "the app's signing secret: Basic Information, App Credentials",
  dedupe: { from: "json", pointer: "/event_id" },
  dedupeNote: "of the Events API. Commands and interactions are forms without such an id: each is an event of its own",
  eventType: { from: "json", pointer: "/event/type" },
  handshake: "slack",
  answer: "empty",
  headers: ["x-slack-signature"],
  sourceFirst: "Slack asks its question the moment the URL is entered.",
  steps: [
    "In the app's settings open Event Subscriptions, enable events, and paste {url} as Request URL: it shows Verified.",
    "Subscribe to events, save, and install the app to the workspace (again, when a new event needs a new scope).",
    "For commands or buttons paste the same URL under Slash Commands, or Interactivity & Shortcuts.",
  ],
  notes: [
    "Slack wants its answer within 3 seconds and sends again otherwise; a repeated event is recognised by its id.",
    "What a command is answered with is shown to the user: hence the answer without a body. Answer later, by the response_url of the payload.",
  ],
  reference: "https://docs.slack.dev/apis/events-api/using-http-request-urls",
};
