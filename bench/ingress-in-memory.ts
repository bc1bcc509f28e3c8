import { randomBytes } from "node:crypto";
import { encodeMessage } from "../functions/app/messages.js";
import type { OpenSource } from "../functions/app/ports.js";
import type { Verification } from "../functions/core/model.js";
import { buildIngress, type Ingress } from "../functions/ingress/ingress.js";

/** The ingress function with one source, `src`; what AWS would do costs nothing here. */
export function ingressInMemory(
  verification: Verification | null,
  secret: string,
): { ingress: Ingress; nowMs: number } {
  const nowMs = Date.now();
  const source: OpenSource = {
    sourceId: "src",
    description: null,
    verification,
    handshake: null,
    answer: "event-id",
    dedupe: null,
    eventType: null,
    secrets: [{ id: "sec_1", createdAtMs: 0 }],
    secretValues: [{ id: "sec_1", value: secret }],
    verifyToken: null,
    version: 1,
    managedBy: null,
    createdAtMs: 0,
    updatedAtMs: 0,
  };
  const notAsked = () => Promise.reject(new Error("an event that is verified asks for nothing else"));
  const ingress = buildIngress({
    sources: { find: async () => source },
    // The message's text belongs to our own work, the call to AWS's.
    queue: { sendEvent: async (message) => void encodeMessage(message) },
    contents: { put: async () => {}, get: notAsked },
    sns: notAsked,
    quarantine: notAsked,
    clock: () => nowMs,
    entropy: () => randomBytes(16),
    log() {},
    metrics: { count() {}, value() {} },
  });
  return { ingress, nowMs };
}
