import * as v from "valibot";
import { presetNames } from "../../core/presets.js";
import { filterField } from "./filter-schema.js";
import { gateView } from "./gate-view.js";
import { answerSchema, handshakeView } from "./handshake-schemas.js";
import { seriesView, windowView } from "./stats-schemas.js";
import { verificationView } from "./verification-schema.js";

/**
 * What the admin API shows, as data: the types of its answers are inferred from these schemas, the OpenAPI document is
 * made from them, and the tests hold every answer against them. Fields are never taken away, new ones may come.
 */

/** ISO 8601, UTC, with milliseconds. */
const time = v.pipe(v.string(), v.isoTimestamp(), v.metadata({ format: "date-time" }));
const text = v.string();
const nullableText = v.nullable(text);
const seconds = v.number();
const whole = v.pipe(v.number(), v.integer());
const count = v.pipe(whole, v.minValue(0));

/** Whatever changes carries these. `version` counts from 1 and is the entity tag. */
const stamps = {
  version: v.pipe(whole, v.minValue(1), v.description("Counts changes of the definition; also the ETag, in quotes.")),
  managedBy: v.pipe(nullableText, v.description("Who keeps this object in shape, as its creator said; null: nobody.")),
  createdAt: time,
  updatedAt: time,
};

const secretView = v.strictObject({ id: text, createdAt: time });

const signingSecretView = v.strictObject({
  ...secretView.entries,
  expiresAt: v.pipe(v.nullable(time), v.description("When it no longer signs, after a rotation; null: it stays.")),
});

const valueRuleView = v.variant("from", [
  v.strictObject({ from: v.literal("header"), name: text }),
  v.strictObject({ from: v.literal("json"), pointer: text }),
]);

export const sourceView = v.strictObject({
  sourceId: text,
  description: nullableText,
  verification: v.nullable(
    v.strictObject({
      ...verificationView,
      secrets: v.pipe(v.array(secretView), v.description("Ids only: values are never shown.")),
    }),
  ),
  handshake: v.nullable(handshakeView),
  answer: v.pipe(answerSchema, v.description("What an accepted event is answered with.")),
  dedupe: v.nullable(valueRuleView),
  eventType: v.nullable(valueRuleView),
  ...stamps,
});

const scheduleView = v.variant("kind", [
  v.strictObject({ kind: v.picklist(["exponential", "linear", "fixed"]), baseSeconds: seconds }),
  v.strictObject({ kind: v.literal("table"), delaysSeconds: v.array(seconds) }),
]);

export const policyFields = {
  preset: v.picklist(presetNames),
  schedule: scheduleView,
  capSeconds: v.nullable(seconds),
  jitter: v.number(),
  maxAttempts: whole,
  maxAgeSeconds: v.nullable(seconds),
  rules: v.picklist(["strict", "lenient"]),
  retryOn: v.array(whole),
  neverRetry: v.array(whole),
  retryAfterCapSeconds: seconds,
  disableOnGone: v.boolean(),
};

const timeoutFields = { connectSeconds: seconds, readSeconds: seconds };

const circuitFields = {
  failureThreshold: whole,
  failureRate: v.nullable(v.number()),
  minimumAttempts: whole,
  cooldownSeconds: seconds,
  maxCooldownSeconds: seconds,
};

export const subscriptionView = v.strictObject({
  subscriptionId: text,
  sourceId: text,
  name: v.pipe(nullableText, v.description("Unique in its source.")),
  description: nullableText,
  url: text,
  status: v.picklist(["active", "paused", "disabled"]),
  statusReason: v.pipe(nullableText, v.description("Why it is not active: operator, gone (a 410), deleted.")),
  slowUntil: v.pipe(
    v.nullable(time),
    v.description("Its attempts hang: until then its deliveries take the slow lane."),
  ),
  gate: gateView,
  policy: v.pipe(v.strictObject(policyFields), v.description("In force: preset and system defaults applied.")),
  timeouts: v.strictObject(timeoutFields),
  circuit: v.strictObject(circuitFields),
  given: v.pipe(
    v.strictObject({
      policy: v.nullable(v.partial(v.strictObject(policyFields))),
      timeouts: v.nullable(v.partial(v.strictObject(timeoutFields))),
      circuit: v.nullable(v.partial(v.strictObject(circuitFields))),
    }),
    v.description("What the owner wrote; the rest comes from preset and system defaults."),
  ),
  maxPerSecond: v.nullable(v.number()),
  types: v.nullable(v.array(text)),
  filter: v.nullable(filterField),
  forwardSuffix: v.boolean(),
  signing: v.picklist(["standard-webhooks", "off"]),
  secrets: v.pipe(v.array(signingSecretView), v.description("Newest first. Ids only: values are never shown.")),
  headers: v.pipe(
    v.nullable(v.record(text, v.union([text, v.strictObject({ secret: v.literal(true) })]))),
    v.description("Its own headers; of secret ones the name only."),
  ),
  tls: v.nullable(
    v.strictObject({
      certificate: v.optional(v.pipe(text, v.description("Client certificate, PEM; its key is never shown."))),
      ca: v.optional(v.pipe(text, v.description("Authorities trusted instead of the public ones, PEM."))),
      certificateExpiresAt: v.optional(time),
    }),
  ),
  signingSecret: v.optional(
    v.pipe(text, v.description("Made by the relay: only in the answer to the request that caused it.")),
  ),
  ...stamps,
});

const attemptView = v.strictObject({
  number: v.pipe(whole, v.minValue(1)),
  startedAt: time,
  delaySeconds: v.pipe(seconds, v.description("Planned delay before it, jitter included; 0 for the first.")),
  outcome: v.picklist(["delivered", "retryable", "permanent", "unknown"]),
  statusCode: v.nullable(whole),
  error: v.pipe(nullableText, v.description("Typed transport error, e.g. refused, read_timeout.")),
  errorDetail: v.optional(text),
  durationMs: v.nullable(v.number()),
  retryAfterSeconds: v.nullable(seconds),
  retryAfterText: v.optional(text),
  retryAfterClamped: v.optional(v.boolean()),
  address: v.optional(text),
  timings: v.optional(
    v.strictObject({
      dnsMs: v.optional(v.number()),
      connectMs: v.optional(v.number()),
      tlsMs: v.optional(v.number()),
      firstByteMs: v.optional(v.number()),
    }),
  ),
  location: v.optional(text),
  requestId: v.optional(
    v.pipe(text, v.description("What the destination calls the request (x-request-id, cf-ray, …).")),
  ),
  preview: v.optional(
    v.pipe(
      v.strictObject({
        base64: text,
        text,
        cut: v.pipe(v.boolean(), v.description("The body had more, or did not end.")),
        lossy: v.pipe(v.boolean(), v.description("The text is not quite the bytes: no UTF-8, or made safe to show.")),
      }),
      v.description("First bytes of the response's body; not in lists."),
    ),
  ),
});

export const deliveryView = v.strictObject({
  deliveryId: text,
  eventId: text,
  sourceId: text,
  subscriptionId: text,
  status: v.picklist(["pending", "attempting", "retry_scheduled", "parked", "delivered", "dead_lettered"]),
  attemptsStarted: count,
  attemptsDropped: v.pipe(count, v.description("Attempts between the first 5 and the last 95, which are not kept.")),
  attempts: v.array(attemptView),
  currentAttempt: v.pipe(
    v.nullable(v.strictObject({ number: whole, startedAt: time, delaySeconds: seconds })),
    v.description("The attempt that is under way; null when none is."),
  ),
  nextAttemptAt: v.nullable(time),
  nextDelaySeconds: v.nullable(seconds),
  deadLetterReason: v.nullable(
    v.picklist(["permanent", "exhausted", "max_age", "retention", "blocked", "cancelled", "subscription_deleted"]),
  ),
  receivedAt: time,
  createdAt: time,
  updatedAt: time,
  replayOf: v.pipe(nullableText, v.description("The delivery that this one is a replay of.")),
  replayedAs: v.pipe(
    v.array(text),
    v.description("Its replays, in the order in which they were asked for; one whose making broke off is not found."),
  ),
  erasedAt: v.pipe(v.nullable(time), v.description("When its event was erased, and its previews with it.")),
});

/** What a test event became. */
export const testEventView = v.strictObject({ eventId: text, deliveryId: text });

/** What an erasure left. */
export const erasureView = v.strictObject({
  eventId: text,
  erasedAt: time,
  deliveries: v.pipe(count, v.description("Deliveries of the event, replays included, whose previews are gone.")),
});

const eventFields = {
  eventId: text,
  sourceId: text,
  state: v.pipe(
    v.nullable(v.picklist(["undelivered", "quarantined", "released"])),
    v.description(
      "undelivered: no subscription took it; quarantined: it was not verified; released: it was, until an operator let it go as another event; null: it has deliveries.",
    ),
  ),
  method: text,
  suffix: v.pipe(text, v.description("Path after the source's id.")),
  query: v.pipe(text, v.description("Raw, without the question mark.")),
  type: nullableText,
  receivedAt: time,
  bodySha256: v.pipe(nullableText, v.description("Null: erased with the body.")),
  bodyBytes: count,
  verifiedBy: v.pipe(nullableText, v.description("Id of the secret that verified it.")),
  dedupeKey: nullableText,
  erasedAt: v.pipe(
    v.nullable(time),
    v.description("When headers, body, path suffix and query were erased; null: they were not."),
  ),
  dedupeMissed: v.pipe(
    nullableText,
    v.description(
      "Why the source's dedupe rule found no key, so that the id is fresh: no_value, not_json, too_long, not_text.",
    ),
  ),
  releasedFrom: v.pipe(nullableText, v.description("The quarantined event that was released as this one.")),
  quarantine: v.pipe(
    v.nullable(
      v.strictObject({
        reason: text,
        releasedAt: v.nullable(time),
        releasedBy: nullableText,
        releasedAs: nullableText,
      }),
    ),
    v.description("Why it was not verified, and who released it as which event; null: it was accepted."),
  ),
};

/** What a second look at a quarantined event found. */
export const verificationReport = v.strictObject({
  eventId: text,
  verified: v.boolean(),
  verifiedBy: v.pipe(nullableText, v.description("Id of the secret that matches now, or the certificate's name.")),
  reason: v.pipe(nullableText, v.description("Why it is not verified.")),
  scheme: nullableText,
  receivedAt: v.pipe(time, v.description("The time at which it was verified: that of its receipt.")),
  steps: v.array(v.strictObject({ step: text, ok: v.boolean(), detail: text })),
});

/** An event as lists show it. */
export const eventSummaryView = v.strictObject({
  ...eventFields,
  deliveryIds: v.pipe(v.array(text), v.description("Its first deliveries, one per subscription; replays apart.")),
});

export const eventView = v.strictObject({
  ...eventFields,
  headers: v.pipe(v.record(text, text), v.description("As received, without cookies and credentials.")),
  deliveries: v.array(deliveryView),
});

const faultFields = {
  faultId: text,
  queue: v.pipe(v.picklist(["delivery", "control"]), v.description("Where it came from, and goes back to.")),
  cause: v.pipe(text, v.description("What was wrong, as far as the relay knows.")),
  messageId: v.pipe(text, v.description("Id of the queue's message as it was first received.")),
  faultedAt: time,
  times: v.pipe(count, v.description("How often it has come here: a redrive that fails again, and a copy, count.")),
  redrivenAt: v.pipe(v.nullable(time), v.description("When it was last sent back; null: it waits.")),
  eventId: v.pipe(nullableText, v.description("What the message names, where it can be read.")),
  deliveryId: nullableText,
  subscriptionId: nullableText,
};

/** A fault as lists show it. */
export const faultSummaryView = v.strictObject(faultFields);

export const faultView = v.strictObject({
  ...faultFields,
  message: v.pipe(
    v.strictObject({
      bytes: count,
      text: v.pipe(
        text,
        v.description("Its beginning, fit for the eye; long texts inside it are replaced by their length."),
      ),
      cut: v.pipe(v.boolean(), v.description("True: the message goes on.")),
    }),
    v.description("The message itself: contents of events are not shown here."),
  ),
});

const boundedCount = v.strictObject({
  count,
  atLeast: v.pipe(v.boolean(), v.description("True: counting ended at its bound, there are at least so many.")),
});

const queueView = v.strictObject({
  visible: v.pipe(count, v.description("Ready to be taken.")),
  delayed: v.pipe(count, v.description("Waiting for their time.")),
  inFlight: v.pipe(count, v.description("Taken, not yet finished.")),
});

export const statsView = v.strictObject({
  asOf: time,
  deliveries: v.strictObject({
    retrying: v.pipe(boundedCount, v.description("Between two attempts, or in one after a failure.")),
    parked: boundedCount,
    deadLettered: v.pipe(boundedCount, v.description("All that are still kept, whatever the reason.")),
    deadLetteredLastDay: v.pipe(boundedCount, v.description("In the 24 hours before asOf.")),
  }),
  faults: v.pipe(
    boundedCount,
    v.description("Messages that the relay could not process, and that wait for a redrive."),
  ),
  queues: v.pipe(
    v.strictObject({
      delivery: queueView,
      slowLane: queueView,
      control: queueView,
      deadLetter: queueView,
      fault: queueView,
    }),
    v.description("As SQS says: approximate."),
  ),
  window: windowView,
  series: v.optional(seriesView),
});

const skipped = v.pipe(
  v.record(text, count),
  v.description(
    "By reason: already_replayed, cancelled, erased, expired, subscription_deleted, target_deleted, too_many_replays.",
  ),
);

export const replayView = v.strictObject({
  replayId: text,
  state: v.picklist(["running", "paused", "cancelled", "done", "failed"]),
  failure: v.pipe(nullableText, v.description("Why it failed: target_deleted.")),
  filter: v.strictObject({
    status: v.picklist(["dead_lettered", "delivered"]),
    reason: nullableText,
    subscriptionId: nullableText,
    sourceId: nullableText,
    since: v.nullable(time),
    until: v.nullable(time),
    statusCode: v.nullable(whole),
    error: nullableText,
  }),
  subscriptionId: v.pipe(
    nullableText,
    v.description("Where all of it goes; null: each to its original's subscription."),
  ),
  perSecond: whole,
  includeReplayed: v.boolean(),
  by: text,
  reason: nullableText,
  estimate: v.pipe(
    v.strictObject({ matched: count, toReplay: count, atLeast: v.boolean() }),
    v.description("What a look at its beginning found; atLeast: the look ended at its bound."),
  ),
  scanned: v.pipe(count, v.description("Deliveries that were looked at.")),
  matched: v.pipe(count, v.description("Those of them that the filter takes: replayed or skipped.")),
  replayed: count,
  skipped,
  secondsLeft: v.pipe(
    v.nullable(count),
    v.description("By the estimate and the pace; null: it has ended, or the estimate is a least."),
  ),
  startedAt: v.pipe(time, v.description("Also the end of its window: what ends later is not taken.")),
  updatedAt: time,
  endedAt: v.nullable(time),
});

export const dryRunView = v.strictObject({
  dryRun: v.literal(true),
  matched: count,
  atLeast: v.pipe(v.boolean(), v.description("True: the look ended at its bound, there are at least so many.")),
  replay: v.pipe(count, v.description("How many would be replayed.")),
  skipped,
  seconds: v.pipe(count, v.description("How long that would take at the asked pace.")),
  bySubscription: v.pipe(
    v.array(
      v.strictObject({
        sourceId: text,
        subscriptionId: text,
        matched: count,
        replay: count,
        skipped: v.record(text, count),
      }),
    ),
    v.description("By the subscription that the originals went to, largest first."),
  ),
});

export const auditEntryView = v.strictObject({
  auditId: text,
  at: time,
  by: v.pipe(text, v.description("ARN of whoever signed the request; local: nobody had to.")),
  operation: v.pipe(text, v.description("E.g. subscription.change, delivery.replay.")),
  method: text,
  path: text,
  subjects: v.pipe(v.array(text), v.description("Ids and names that it is about, those of what it created too.")),
  fields: v.pipe(v.array(text), v.description("Names of the fields that the request gave; values are not kept.")),
  reason: v.pipe(nullableText, v.description("What the caller said in steadyhook-reason.")),
  outcome: v.pipe(
    v.nullable(v.strictObject({ status: whole, code: nullableText })),
    v.description("What it was answered with; null: only its beginning is known, it may have been done."),
  ),
});

export const fieldProblem = v.strictObject({
  field: v.pipe(text, v.description("Path inside the request; empty: the request as a whole.")),
  reason: text,
  fix: v.optional(text),
});

/** RFC 9457. */
export const problemDocument = v.strictObject({
  type: text,
  title: text,
  status: whole,
  detail: text,
  code: v.pipe(text, v.description("Stable: what a program should look at.")),
  errors: v.optional(v.array(fieldProblem)),
});

/** A page of a list; `cursor` is null at its end. */
export const pageOf = <Item extends v.GenericSchema>(item: Item) =>
  v.strictObject({ items: v.array(item), cursor: v.nullable(v.string()) });

type DeepReadonly<Type> = Type extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Type extends object
    ? { readonly [Name in keyof Type]: DeepReadonly<Type[Name]> }
    : Type;

type View<Schema extends v.GenericSchema> = DeepReadonly<v.InferOutput<Schema>>;

export type SourceView = View<typeof sourceView>;
export type SubscriptionView = View<typeof subscriptionView>;
export type AttemptView = View<typeof attemptView>;
export type DeliveryView = View<typeof deliveryView>;
export type ReplayView = View<typeof replayView>;
export type DryRunView = View<typeof dryRunView>;
export type AuditEntryView = View<typeof auditEntryView>;
export type TestEventView = View<typeof testEventView>;
export type ErasureView = View<typeof erasureView>;
export type EventSummaryView = View<typeof eventSummaryView>;
export type EventView = View<typeof eventView>;
export type VerificationReport = View<typeof verificationReport>;
export type FaultSummaryView = View<typeof faultSummaryView>;
export type FaultView = View<typeof faultView>;
export type StatsView = View<typeof statsView>;
/** The answer of every refused request. */
export type Problem = View<typeof problemDocument>;
/** A page of a list. */
export interface PageView<Item> {
  readonly items: readonly Item[];
  /** What to pass to get the next page; null at the end. */
  readonly cursor: string | null;
}
