import type {
  AuditEntryView,
  DeliveryView,
  DryRunView,
  ErasureView,
  ReplayView,
} from "../../app/admin/view-schemas.js";
import { delivery } from "./examples.js";

/** Examples of what an operator does: the warehouse was down, and is back. */

const at = "2026-01-31T14:00:00.000Z";
const replayedId = "dlv_7a1d4g7k0n3q6t9w2z5c8f1j4m";

export const cancelled: DeliveryView = {
  ...delivery,
  status: "dead_lettered",
  deadLetterReason: "cancelled",
  nextAttemptAt: null,
  nextDelaySeconds: null,
  updatedAt: at,
};

export const replay: DeliveryView = {
  ...delivery,
  deliveryId: replayedId,
  status: "pending",
  attemptsStarted: 0,
  attempts: [],
  nextAttemptAt: null,
  nextDelaySeconds: null,
  createdAt: at,
  updatedAt: at,
  replayOf: delivery.deliveryId,
};

export const testEvent = { eventId: delivery.eventId, deliveryId: delivery.deliveryId };

export const erasure: ErasureView = { eventId: delivery.eventId, erasedAt: at, deliveries: 2 };

export const replayJobInput = {
  filter: { status: "dead_lettered", subscriptionId: delivery.subscriptionId, since: "2026-01-31T10:00:00Z" },
  perSecond: 20,
};

export const bulkReplay: ReplayView = {
  replayId: "rpl_01k9zr0a3d6g9k2n5q8t1w4z7b",
  state: "running",
  failure: null,
  filter: {
    status: "dead_lettered",
    reason: null,
    subscriptionId: delivery.subscriptionId,
    sourceId: null,
    since: "2026-01-31T10:00:00.000Z",
    until: null,
    statusCode: null,
    error: null,
  },
  subscriptionId: null,
  perSecond: 20,
  includeReplayed: false,
  by: "arn:aws:iam::111122223333:user/alex",
  reason: "warehouse is back",
  estimate: { matched: 412, toReplay: 400, atLeast: false },
  scanned: 45,
  matched: 43,
  replayed: 40,
  skipped: { already_replayed: 3 },
  secondsLeft: 18,
  startedAt: at,
  updatedAt: "2026-01-31T14:00:02.000Z",
  endedAt: null,
};

export const dryRun: DryRunView = {
  dryRun: true,
  matched: 412,
  atLeast: false,
  replay: 400,
  skipped: { already_replayed: 12 },
  seconds: 20,
  bySubscription: [
    {
      sourceId: delivery.sourceId,
      subscriptionId: delivery.subscriptionId,
      matched: 412,
      replay: 400,
      skipped: { already_replayed: 12 },
    },
  ],
};

export const auditEntry: AuditEntryView = {
  auditId: "aud_01k9zr1b4e7h0m3p6r9u2x5a8c",
  at,
  by: "arn:aws:iam::111122223333:user/alex",
  operation: "replay.create",
  method: "POST",
  path: "/admin/replays",
  subjects: [bulkReplay.replayId],
  fields: ["filter", "perSecond"],
  reason: "warehouse is back",
  outcome: { status: 201, code: null },
};
