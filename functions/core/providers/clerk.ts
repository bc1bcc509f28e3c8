import type { Provider } from "./provider.js";
import { svix } from "./svix.js";

export const clerk: Provider = {
  ...svix,
  name: "clerk",
  title: "Clerk",
  headers: [],
  steps: [
    "In the Clerk Dashboard open Webhooks and add an endpoint with {url}; subscribe to events.",
    "Open the endpoint and copy its Signing Secret.",
  ],
  notes: ["Clerk sends through Svix. Development and production instances have endpoints and secrets of their own."],
  reference: "https://clerk.com/docs/reference/backend/verify-webhook",
};
