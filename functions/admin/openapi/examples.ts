import { findPolicyPreview } from "../../app/admin/policy-preview.js";
import type {
  DeliveryView,
  EventSummaryView,
  EventView,
  FaultSummaryView,
  FaultView,
  Problem,
  SourceView,
  StatsView,
  SubscriptionView,
  VerificationReport,
} from "../../app/admin/view-schemas.js";

/** Examples of the document: one shop whose orders go to one warehouse. */

const [createdAt, receivedAt] = ["2026-01-31T11:00:00.000Z", "2026-01-31T12:00:00.000Z"];
const stamps = { version: 1, managedBy: null, createdAt, updatedAt: createdAt };
const subscriptionId = "sub_01k9zq4t5m8r2w7x3y6p0nbc1d";
const eventId = "evt_01k9zq6v3c5f8j2n4r7t0w1x9y";
const filter = {
  all: [
    { header: "x-shop", oneOf: ["de", "at"] },
    { not: { json: "/livemode", equals: false } },
    {
      any: [
        { json: "/type", prefix: "order." },
        { json: "/refund", exists: true },
      ],
    },
  ],
};

export const sourceInput = {
  sourceId: "shop",
  verification: { scheme: "github", secrets: ["a shared secret"], onFailure: "quarantine" },
  dedupe: { from: "header", name: "x-github-delivery" },
};

export const source: SourceView = {
  sourceId: "shop",
  description: null,
  verification: {
    scheme: "github",
    onFailure: "quarantine",
    secrets: [{ id: "sec_01k9zq2b7d9f1h3k5m6n8p0q2r", createdAt }],
  },
  handshake: null,
  answer: "event-id",
  dedupe: { from: "header", name: "x-github-delivery" },
  eventType: null,
  ...stamps,
};

export const subscriptionInput = {
  name: "warehouse",
  url: "https://warehouse.example/hooks",
  policy: { preset: "default", maxAttempts: 8 },
  types: ["order.*"],
  filter,
  headers: { "x-team": "billing", "x-api-key": { secret: true, value: "the destination's key" } },
};

export const subscription: SubscriptionView = {
  subscriptionId,
  sourceId: "shop",
  name: "warehouse",
  description: null,
  url: "https://warehouse.example/hooks",
  status: "active",
  statusReason: null,
  slowUntil: null,
  gate: {
    circuit: "open",
    openedAt: "2026-01-15T08:00:00.000Z",
    nextProbeAt: "2026-01-15T08:00:16.200Z",
    probes: 1,
    failuresInARow: 5,
    heldUntil: null,
    holdsParked: true,
    release: null,
  },
  policy: {
    preset: "default",
    schedule: { kind: "exponential", baseSeconds: 30 },
    capSeconds: 3600,
    jitter: 0.2,
    maxAttempts: 8,
    maxAgeSeconds: null,
    rules: "strict",
    retryOn: [],
    neverRetry: [],
    retryAfterCapSeconds: 3600,
    disableOnGone: true,
  },
  timeouts: { connectSeconds: 15, readSeconds: 60 },
  circuit: {
    failureThreshold: 5,
    failureRate: null,
    minimumAttempts: 20,
    cooldownSeconds: 15,
    maxCooldownSeconds: 900,
  },
  given: { policy: { preset: "default", maxAttempts: 8 }, timeouts: null, circuit: null },
  maxPerSecond: null,
  types: ["order.*"],
  filter,
  forwardSuffix: false,
  signing: "standard-webhooks",
  secrets: [{ id: "sec_01k9zq3c8e0g2j4k6m7n9p1q3s", createdAt, expiresAt: null }],
  headers: { "x-team": "billing", "x-api-key": { secret: true } },
  tls: null,
  ...stamps,
};

export const rotatedSubscription: SubscriptionView = {
  ...subscription,
  version: 2,
  secrets: [
    { id: "sec_01k9zq7w4d6g9k3p5s8u1x2y0z", createdAt: receivedAt, expiresAt: null },
    { id: "sec_01k9zq3c8e0g2j4k6m7n9p1q3s", createdAt, expiresAt: "2026-02-01T12:00:00.000Z" },
  ],
  signingSecret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
};

export const delivery: DeliveryView = {
  deliveryId: "dlv_5h2j8k0m3n6p9q1r4s7t2v5w8x",
  eventId,
  sourceId: "shop",
  subscriptionId,
  status: "retry_scheduled",
  attemptsStarted: 1,
  attemptsDropped: 0,
  attempts: [
    {
      number: 1,
      startedAt: receivedAt,
      delaySeconds: 0,
      outcome: "retryable",
      statusCode: 503,
      error: null,
      durationMs: 41,
      retryAfterSeconds: null,
    },
  ],
  currentAttempt: null,
  nextAttemptAt: "2026-01-31T12:00:30.000Z",
  nextDelaySeconds: 30,
  deadLetterReason: null,
  receivedAt,
  createdAt: receivedAt,
  updatedAt: receivedAt,
  replayOf: null,
  replayedAs: [],
  erasedAt: null,
};

export const eventSummary: EventSummaryView = {
  eventId,
  sourceId: "shop",
  state: null,
  method: "POST",
  suffix: "",
  query: "",
  type: "order.paid",
  receivedAt,
  bodySha256: "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
  bodyBytes: 2,
  verifiedBy: "sec_01k9zq2b7d9f1h3k5m6n8p0q2r",
  dedupeKey: "72d3162e-cc78-11e3-81ab-4c9367dc0958",
  erasedAt: null,
  dedupeMissed: null,
  releasedFrom: null,
  quarantine: null,
  deliveryIds: [delivery.deliveryId],
};

const quarantinedId = "evt_01k9zq2b7d9f1h3k5m6n8p0q2r";

export const verificationReport: VerificationReport = {
  eventId: quarantinedId,
  verified: false,
  verifiedBy: null,
  reason: "signature mismatch",
  scheme: "github",
  receivedAt,
  steps: [
    { step: "configuration", ok: true, detail: "is sound: scheme github" },
    { step: "signature", ok: false, detail: "is the HMAC-SHA256 of {body} (body: 2 bytes) under secret sec_01k9: no" },
  ],
};

export const releasedEvent: EventSummaryView = {
  ...eventSummary,
  eventId: quarantinedId,
  state: "released",
  verifiedBy: null,
  dedupeKey: null,
  quarantine: {
    reason: "signature mismatch",
    releasedAt: receivedAt,
    releasedBy: "arn:aws:iam::111122223333:user/operator",
    releasedAs: eventId,
  },
  deliveryIds: [],
};

const { deliveryIds: _inLists, ...eventFields } = eventSummary;

export const event: EventView = {
  ...eventFields,
  headers: { "content-type": "application/json" },
  deliveries: [delivery],
};

export const fault: FaultView = {
  faultId: "flt_3f9a1c7e5b2d8f4a6c0e9b7d5a",
  queue: "delivery",
  cause: "UnreadableMessageError: v is not a version that this relay reads (1)",
  messageId: "0b8f3c1e-5a77-4c2e-9d61-7f4e2b9a1c30",
  faultedAt: receivedAt,
  times: 1,
  redrivenAt: null,
  eventId: null,
  deliveryId: null,
  subscriptionId: null,
  message: { bytes: 25, text: '{"v":9,"kind":"delivery"}', cut: false },
};

const { message: _inOne, ...faultSummaryFields } = fault;
export const faultSummary: FaultSummaryView = faultSummaryFields;

const depth = { visible: 0, delayed: 1, inFlight: 0 };

const totals = {
  accepted: 40,
  refused: 1,
  attempts: 44,
  delivered: 39,
  retried: 4,
  lastAttemptReached: 1,
  deadLettered: 1,
  parked: 0,
  circuitOpened: 0,
  faults: 0,
  retryRate: 0.0909,
};

export const stats: StatsView = {
  asOf: receivedAt,
  deliveries: {
    retrying: { count: 1, atLeast: false },
    parked: { count: 0, atLeast: false },
    deadLettered: { count: 12, atLeast: false },
    deadLetteredLastDay: { count: 2, atLeast: false },
  },
  faults: { count: 1, atLeast: false },
  queues: { delivery: depth, slowLane: depth, control: depth, deadLetter: depth, fault: depth },
  window: { lastHour: totals, lastDay: { ...totals, accepted: 950, attempts: 1_010, delivered: 940 } },
};

const builtIn = { policyPreset: "default", connectSeconds: 15, readSeconds: 60 };

export const policyPreviewInput = { policy: { preset: "hookwatch", maxAttempts: 4 } };

export const policyPreview = findPolicyPreview(builtIn, policyPreviewInput);

export const problem: Problem = {
  type: "about:blank",
  title: "Bad Request",
  status: 400,
  detail: "The request is not valid: url is required.",
  code: "invalid_request",
  errors: [{ field: "url", reason: "is required" }],
};

export const pageWith = <Item>(item: Item) => ({ items: [item], cursor: null });
