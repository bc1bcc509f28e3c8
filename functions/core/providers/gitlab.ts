import type { Provider } from "./provider.js";

export const gitlab: Provider = {
  name: "gitlab",
  title: "GitLab",
  verification: { scheme: "gitlab" },
  secret: "the webhook's signing token, whsec_…; or, where GitLab has none, its secret token",
  dedupe: { from: "header", name: "idempotency-key" },
  dedupeNote: "it is the same in every retry and when a request is sent again from GitLab's page",
  eventType: { from: "header", name: "x-gitlab-event" },
  handshake: null,
  answer: "empty",
  headers: ["x-gitlab-event"],
  sourceFirst: null,
  steps: [
    "In the project or group open Settings, Webhooks, and add a webhook with {url}.",
    "Create a signing token and copy it (it is shown once); in a GitLab without them enter a secret token of your own choice.",
    "Choose the triggers, leave SSL verification enabled, and save.",
  ],
  notes: [
    "A signing token signs the body; a secret token only travels along, and whoever sees it can send anything.",
    "A webhook that fails several times in a row is disabled by GitLab for a while.",
  ],
  reference: "https://docs.gitlab.com/user/project/integrations/webhooks/",
};
