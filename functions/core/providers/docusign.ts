import type { Provider } from "./provider.js";

export const docusign: Provider = {
  name: "docusign",
  title: "Docusign Connect",
  verification: {
    scheme: "hmac",
    hmac: { header: "x-docusign-signature-1", prefix: "", algorithm: "sha256", encoding: "base64" },
  },
  secret: "the first of the Connect keys",
  dedupe: null,
  dedupeNote: "Docusign documents no id that is the same in a retry",
  eventType: { from: "json", pointer: "/event" },
  handshake: null,
  answer: "empty",
  headers: ["x-docusign-signature-1"],
  sourceFirst: null,
  steps: [
    "In eSignature Admin open Connect, Connect Keys, add a secret key, and copy it: it is shown once.",
    "Add a custom configuration with {url}, the data format REST v2.1 (JSON) and the events.",
    "Tick Include HMAC Signature: without it nothing is signed, and everything is refused.",
  ],
  notes: [
    "With several keys each signs in a header of its own, …-1, …-2. The source looks at the first: give it this key.",
  ],
  reference: "https://developers.docusign.com/platform/webhooks/connect/validate",
};
