import * as v from "valibot";
import type { TransportError } from "../../core/model.js";
import { instant, slug } from "./schemas.js";

/** What replays, bulk replays and test events take, as data: see schemas.ts. */

/** What `POST /admin/deliveries/{deliveryId}/replay` takes; without a subscription: to the original's own. */
export const replayInputSchema = v.strictObject({ subscriptionId: v.optional(slug) });

const longestType = 256;

/** What `POST /admin/subscriptions/{subscriptionId}/test` takes. */
export const testEventSchema = v.strictObject({
  type: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(longestType, `must have at most ${longestType} characters`),
      v.regex(/^[\x21-\x7e]+$/, "must be a dotted type without spaces, such as steadyhook.test"),
    ),
    "steadyhook.test",
  ),
  /** Any JSON. */
  body: v.optional(v.unknown()),
});

/** What ended on purpose stays ended. */
const replayedReasons = ["permanent", "exhausted", "max_age", "retention", "blocked"] as const;

const transportErrors = [
  "dns",
  "refused",
  "unreachable",
  "connect_timeout",
  "read_timeout",
  "deadline",
  "tls_expired",
  "tls_self_signed",
  "tls_name",
  "tls_protocol",
  "tls_weak",
  "tls_client_certificate",
  "reset",
  "protocol",
  "response_too_large",
  "blocked_address",
  "blocked_port",
  "invalid_header",
  "unknown_error",
] as const satisfies readonly TransportError[];

/** Which final deliveries; what is left out or null takes any. Shown as it is given. */
export const replayFilterSchema = v.strictObject({
  status: v.nullish(v.picklist(["dead_lettered", "delivered"]), "dead_lettered"),
  reason: v.nullish(v.picklist(replayedReasons), null),
  subscriptionId: v.nullish(slug, null),
  sourceId: v.nullish(slug, null),
  since: v.nullish(instant, null),
  until: v.nullish(instant, null),
  statusCode: v.nullish(
    v.pipe(
      v.number(),
      v.integer("must be a whole number"),
      v.minValue(100, "must be a status code, 100 to 599"),
      v.maxValue(599, "must be a status code, 100 to 599"),
    ),
    null,
  ),
  error: v.nullish(v.picklist(transportErrors), null),
});

/** A page is made within a fraction of its second, beside what releases need of the same function. */
const mostPerSecond = 100;

const perSecond = v.pipe(
  v.number(),
  v.integer("must be a whole number"),
  v.minValue(1, "must be at least 1"),
  v.maxValue(mostPerSecond, `must be at most ${mostPerSecond}`),
);

/** What `POST /admin/replays` takes. */
export const replayJobSchema = v.strictObject({
  filter: replayFilterSchema,
  /** Where all of them go; without it each goes to its original's subscription. */
  subscriptionId: v.nullish(slug, null),
  dryRun: v.optional(v.boolean(), false),
  perSecond: v.optional(perSecond, 10),
  includeReplayed: v.optional(v.boolean(), false),
});

/** What `PATCH /admin/replays/{replayId}` takes. */
export const replayChangeSchema = v.strictObject({
  state: v.optional(v.picklist(["running", "paused"])),
  perSecond: v.optional(perSecond),
});

export type ReplayJobInput = v.InferOutput<typeof replayJobSchema>;
