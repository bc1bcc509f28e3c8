import type { SampleReport } from "../../app/admin/sample-schemas.js";

export const sampleInput = {
  method: "POST",
  headers: { "x-hub-signature-256": "sha256=…", "content-type": "application/json" },
  bodyBase64: "e30K",
};

export const sampleReport: SampleReport = {
  sourceId: "shop",
  verified: false,
  verifiedBy: null,
  reason: "signature mismatch",
  scheme: "github",
  at: "2026-01-31T12:00:00.000Z",
  steps: [
    { step: "configuration", ok: true, detail: "is sound: scheme github" },
    { step: "signature", ok: false, detail: "is the HMAC-SHA256 of {body} (body: 3 bytes) under secret sec_01k9: no" },
  ],
  hints: ["It verifies without the line break at its end: something on the way, or in saving it, changes the body."],
};
