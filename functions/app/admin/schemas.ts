import * as v from "valibot";
import { presetNames } from "../../core/presets.js";
import { filterField } from "./filter-schema.js";
import { answerSchema, handshakeSchema } from "./handshake-schemas.js";
import { verificationSchema } from "./verification-schema.js";

/**
 * What the admin API accepts, as data: requests are checked against these schemas, and the OpenAPI document is made
 * from them. Unknown fields are refused. Ranges and contradictions that the core knows are checked there.
 */

const text = (most: number) => v.pipe(v.string(), v.maxLength(most, `must have at most ${most} characters`));
const whole = v.pipe(v.number(), v.integer("must be a whole number"));
const seconds = (most: number) =>
  v.pipe(
    v.number(),
    v.finite("must be a finite number"),
    v.gtValue(0, "must be a number of seconds above 0"),
    v.maxValue(most, `must be at most ${most} seconds`),
  );

/** Safe in a path, in a queue's group id and in a key. */
export const slug = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9_-]{1,64}$/, "must have 1 to 64 characters out of A-Z, a-z, 0-9, _ and -"),
);

const description = v.nullish(text(1_000), null);
const managedBy = v.nullish(text(64), null);

export const subscriptionName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9._-]{1,64}$/, "must have 1 to 64 characters out of A-Z, a-z, 0-9, dot, _ and -"),
);

export const valueRuleSchema = v.variant("from", [
  v.strictObject({ from: v.literal("header"), name: text(256) }),
  v.strictObject({ from: v.literal("json"), pointer: text(512) }),
]);

export const sourceSchema = v.strictObject({
  sourceId: v.optional(slug),
  description,
  verification: v.nullish(verificationSchema, null),
  handshake: v.nullish(handshakeSchema, null),
  answer: v.nullish(answerSchema, "event-id"),
  dedupe: v.nullish(valueRuleSchema, null),
  eventType: v.nullish(valueRuleSchema, null),
  managedBy,
});

const baseSeconds = v.number();

export const scheduleSchema = v.variant("kind", [
  v.strictObject({ kind: v.literal("exponential"), baseSeconds }),
  v.strictObject({ kind: v.literal("linear"), baseSeconds }),
  v.strictObject({ kind: v.literal("fixed"), baseSeconds }),
  v.strictObject({ kind: v.literal("table"), delaysSeconds: v.array(v.number()) }),
]);

const statusCodes = v.pipe(v.array(v.number()), v.maxLength(100, "must list at most 100 status codes"));

/** Every field is optional: what is left out comes from the preset, then from the system's defaults. */
export const policySchema = v.strictObject({
  preset: v.optional(v.picklist(presetNames)),
  schedule: v.optional(scheduleSchema),
  capSeconds: v.optional(v.nullable(v.number())),
  jitter: v.optional(v.number()),
  maxAttempts: v.optional(v.number()),
  maxAgeSeconds: v.optional(v.nullable(v.number())),
  rules: v.optional(v.picklist(["strict", "lenient"])),
  retryOn: v.optional(statusCodes),
  neverRetry: v.optional(statusCodes),
  retryAfterCapSeconds: v.optional(v.number()),
  disableOnGone: v.optional(v.boolean()),
});

/** What `POST /admin/policy/preview` takes; without a policy: the one that subscriptions have that give none. */
export const policyPreviewSchema = v.strictObject({ policy: v.nullish(policySchema, null) });

/** Longer ones could never be used: an invocation has to end. */
const longestTimeoutSeconds = 300;

export const timeoutsSchema = v.strictObject({
  connectSeconds: v.optional(seconds(longestTimeoutSeconds)),
  readSeconds: v.optional(seconds(longestTimeoutSeconds)),
});

const longestCooldownSeconds = 86_400;

export const circuitSchema = v.strictObject({
  failureThreshold: v.optional(v.pipe(whole, v.minValue(1, "must be at least 1"), v.maxValue(100_000, "is too large"))),
  failureRate: v.optional(
    v.nullable(
      v.pipe(
        v.number(),
        v.gtValue(0, "must be above 0: null counts failures in a row only"),
        v.maxValue(1, "is a share: at most 1"),
      ),
    ),
  ),
  minimumAttempts: v.optional(v.pipe(whole, v.minValue(1, "must be at least 1"), v.maxValue(100_000, "is too large"))),
  cooldownSeconds: v.optional(seconds(longestCooldownSeconds)),
  maxCooldownSeconds: v.optional(seconds(longestCooldownSeconds)),
});

const typePatterns = v.pipe(
  v.array(v.string()),
  v.minLength(1, "must name at least one pattern: null takes every event"),
  v.maxLength(100, "must list at most 100 patterns"),
);

/** A header's value; secret ones are write-only, without `value` the stored one stays. Names are checked in the core. */
const headerValue = v.union(
  [v.string(), v.strictObject({ secret: v.literal(true), value: v.optional(v.string()) })],
  'must be text, or {"secret": true, "value": "…"}',
);

/** All PEM. */
export const tlsSchema = v.strictObject({
  certificate: v.optional(v.string()),
  /** Write-only. */
  key: v.optional(v.string()),
  ca: v.optional(v.string()),
});

export const subscriptionSchema = v.strictObject({
  /** Made by the relay and by the path: a document may carry its own, another's is refused. */
  subscriptionId: v.optional(slug),
  sourceId: v.optional(slug),
  name: v.nullish(subscriptionName, null),
  description,
  url: text(2_048),
  /** Never changed by a write: saying what it is already is allowed, so that an answer may be sent back. */
  status: v.optional(v.picklist(["active", "paused", "disabled"])),
  policy: v.nullish(policySchema, null),
  timeouts: v.nullish(timeoutsSchema, null),
  circuit: v.nullish(circuitSchema, null),
  maxPerSecond: v.nullish(
    v.pipe(
      v.number(),
      v.gtValue(0, "must be above 0: null sets no limit"),
      v.maxValue(10_000, "must be at most 10000"),
    ),
    null,
  ),
  types: v.nullish(typePatterns, null),
  filter: v.nullish(filterField, null),
  forwardSuffix: v.optional(v.boolean(), false),
  signing: v.optional(v.picklist(["standard-webhooks", "off"]), "standard-webhooks"),
  /** Write-only. */
  signingSecret: v.optional(v.string()),
  headers: v.nullish(v.record(v.string(), headerValue), null),
  tls: v.nullish(tlsSchema, null),
  managedBy,
});

/** A month: whoever has not changed over by then has forgotten it. */
const longestOverlapSeconds = 30 * 86_400;

export const rotationSchema = v.strictObject({
  signingSecret: v.optional(v.string()),
  overlapSeconds: v.optional(
    v.pipe(
      whole,
      v.minValue(0, "must be 0 (the old ones end at once) or more"),
      v.maxValue(longestOverlapSeconds, `must be at most ${longestOverlapSeconds} (30 days)`),
    ),
    86_400,
  ),
});

export const instant = v.pipe(
  v.string(),
  v.check(
    (value) => /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:?\d\d)$/.test(value) && !Number.isNaN(Date.parse(value)),
    "must be a time such as 2026-01-31T12:00:00Z",
  ),
  v.metadata({ format: "date-time" }),
);

const largestPage = 100;

/** How many entries a page has at most. */
export const limit = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^\d{1,4}$/, `must be a whole number from 1 to ${largestPage}`),
    v.transform(Number),
    v.minValue(1, "must be at least 1"),
    v.maxValue(largestPage, `must be at most ${largestPage}`),
  ),
  "50",
);

export const cursor = v.optional(v.pipe(v.string(), v.maxLength(1_024, "is not a cursor of this API")));

/** Query parameters of the plain lists. */
export const pageQuerySchema = v.strictObject({ limit, cursor });

export const deliveryQuerySchema = v.strictObject({
  status: v.optional(v.picklist(["pending", "attempting", "delivered", "retry_scheduled", "dead_lettered", "parked"])),
  subscriptionId: v.optional(slug),
  sourceId: v.optional(slug),
  since: v.optional(instant),
  until: v.optional(instant),
  limit,
  cursor,
});

export const eventQuerySchema = v.strictObject({
  sourceId: v.optional(slug),
  state: v.optional(v.picklist(["undelivered", "quarantined"])),
  since: v.optional(instant),
  until: v.optional(instant),
  limit,
  cursor,
});

export const auditQuerySchema = v.strictObject({
  since: v.optional(instant),
  until: v.optional(instant),
  subject: v.optional(text(256)),
  limit,
  cursor,
});

export type AuditQuery = v.InferOutput<typeof auditQuerySchema>;
export type SourceInput = v.InferOutput<typeof sourceSchema>;
export type SubscriptionInput = v.InferOutput<typeof subscriptionSchema>;
export type PageQuery = v.InferOutput<typeof pageQuerySchema>;
export type DeliveryQuery = v.InferOutput<typeof deliveryQuerySchema>;
export type EventQuery = v.InferOutput<typeof eventQuerySchema>;
