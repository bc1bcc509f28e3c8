import { createHash } from "node:crypto";
import type { SubscriptionRecord } from "../../functions/app/admin/definitions.js";
import type { AuditEntry } from "../../functions/app/admin/ports.js";
import { packContent } from "../../functions/core/content.js";
import { type DeliveryOrigin, newDelivery } from "../../functions/core/delivery.js";
import { deliveryIdOf } from "../../functions/core/ids.js";
import type { Delivery, EventMeta, Source } from "../../functions/core/model.js";
import type { ReplayJob } from "../../functions/core/replay-job.js";
import { withNewReplayTicks } from "../../functions/core/replay-ticks.js";
import { aSourceRecord, aSubscriptionRecord } from "../support/config-records.js";

/** What the fixtures are about: one source, one subscription, one event and its delivery, every field in use. */

export const startMs = Date.UTC(2026, 0, 1, 12);

export const body = Buffer.from('{"invoice":"in_1"}');
export const packed = packContent({ headers: [["content-type", "application/json"]], body });
export const sourceId = "billing";
export const subscriptionId = "sub_01kdwy3q00000000000000000a";
export const signingSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";

export const event: EventMeta = {
  eventId: "evt_01kdwy3q00000000000000000b",
  sourceId,
  method: "POST",
  suffix: "/invoices",
  query: "a=1",
  type: "invoice.paid",
  receivedAtMs: startMs,
  bodySha256: createHash("sha256").update(body).digest("hex"),
  bodyBytes: body.length,
  verifiedBy: "sec_01kdwy3q00000000000000000c",
  dedupeKey: "in_1",
};

/** A request that could not be verified, and what it became when it was released. */
export const quarantinedId = "evt_01kdwy3q00000000000000000f";
export const release = { atMs: startMs + 60_000, by: "arn:aws:iam::111122223333:user/operator", as: event.eventId };

export const deliveryId = deliveryIdOf(event.eventId, subscriptionId);
export const replayId = "dlv_01kdwy3q00000000000000000f";
export const bucketKey = `bodies/${event.eventId}/${event.bodySha256}`;

const origin: DeliveryOrigin = {
  deliveryId,
  eventId: event.eventId,
  sourceId,
  subscriptionId,
  bodySha256: event.bodySha256,
  receivedAtMs: startMs,
};
export const unborn: Delivery = newDelivery(origin, startMs);

export const source: Source = aSourceRecord({
  sourceId,
  description: "Invoices",
  verification: {
    scheme: "hmac",
    onFailure: "quarantine",
    hmac: { header: "x-signature", prefix: "sha256=", algorithm: "sha256", encoding: "hex" },
  },
  dedupe: { from: "json", pointer: "/invoice" },
  eventType: { from: "header", name: "x-type" },
  secrets: [{ id: "sec_01kdwy3q00000000000000000c", createdAtMs: startMs }],
  managedBy: "apply",
  createdAtMs: startMs,
  updatedAtMs: startMs,
});

/** A secret to verify by, and one that Meta sends in its handshake. */
export const sourceWithHandshake: Source = {
  ...source,
  sourceId: "pages",
  handshake: { kind: "meta", verifyToken: { id: "sec_01kdwy3q00000000000000000e", createdAtMs: startMs } },
  answer: "empty",
};
export const handshakeSecrets = {
  sec_01kdwy3q00000000000000000c: "shared secret",
  sec_01kdwy3q00000000000000000e: "verify token",
};

export const sourceWithTemplate: Source = {
  ...source,
  sourceId: "templates",
  verification: {
    scheme: "hmac",
    onFailure: "reject",
    toleranceSeconds: 120,
    publicUrl: "https://hooks.example/in/templates",
    secretEncoding: "base64",
    hmac: {
      header: "x-signature",
      prefix: "",
      algorithm: "sha512",
      encoding: "base64url",
      content: "{method}{url}{id}{timestamp}.{body}",
      timestampHeader: "x-time",
      timestampUnit: "milliseconds",
      idHeader: "x-id",
      covers: "decoded",
    },
  },
};

export const subscription: SubscriptionRecord = aSubscriptionRecord({
  subscriptionId,
  sourceId,
  name: "books",
  description: "Bookkeeping",
  url: "https://destination.example/hooks",
  policy: { schedule: { kind: "table", delaysSeconds: [10, 20] }, maxAttempts: 3, jitter: 0 },
  timeouts: { connectSeconds: 5 },
  circuit: { failureThreshold: 7 },
  maxPerSecond: 20,
  types: ["invoice.*"],
  forwardSuffix: true,
  secrets: [{ id: "sec_01kdwy3q00000000000000000d", createdAtMs: startMs }],
  managedBy: "apply",
  createdAtMs: startMs,
  updatedAtMs: startMs,
});

/** The message that the claims of the fixtures belong to. */
export const guard = "3c0a5f0e-0000-4000-8000-000000000001";

/** A bulk replay at its beginning, everything in it that can be. */
export const replayJob: ReplayJob = withNewReplayTicks(
  {
    replayId: "rpl_01kdwy3q00000000000000000g",
    revision: 1,
    state: "running",
    failure: null,
    filter: {
      status: "dead_lettered",
      reason: "exhausted",
      subscriptionId,
      sourceId,
      sinceMs: startMs - 3_600_000,
      untilMs: startMs,
      statusCode: 503,
      error: "refused",
    },
    searched: [subscriptionId],
    target: { sourceId, subscriptionId },
    includeReplayed: true,
    perSecond: 20,
    by: "arn:aws:iam::111122223333:user/alex",
    reason: "books are back",
    createdAtMs: startMs,
    updatedAtMs: startMs,
    endedAtMs: null,
    estimate: { matched: 12, toReplay: 10, atLeast: false },
    counts: { scanned: 0, replayed: 0, skipped: {} },
    after: null,
    tick: { seq: 0, dueAtMs: null, by: null },
  },
  startMs,
);

export const auditEntry: AuditEntry = {
  auditId: "aud_01kdwy3q00000000000000000h",
  atMs: startMs,
  by: "arn:aws:iam::111122223333:user/alex",
  operation: "replay.create",
  method: "POST",
  path: "/admin/replays",
  subjects: [replayJob.replayId],
  fields: ["filter", "perSecond"],
  reason: "books are back",
  outcome: null,
};
