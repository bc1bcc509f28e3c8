import type { Provider } from "./provider.js";
import { svix } from "./svix.js";

export const resend: Provider = {
  ...svix,
  name: "resend",
  title: "Resend",
  answer: "empty",
  headers: [],
  steps: [
    "In the Resend dashboard open Webhooks and add a webhook with {url}; choose its events.",
    "Open the webhook and copy its signing secret.",
  ],
  notes: ["Resend sends through Svix."],
  reference: "https://resend.com/docs/webhooks/verify-webhooks-requests",
};
