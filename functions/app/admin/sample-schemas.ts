import * as v from "valibot";

/** A saved request that is put to a source's verification, and what comes of it. */

const text = (most: number) => v.pipe(v.string(), v.maxLength(most, `must have at most ${most} characters`));

/** Of a request line in full, as the gateway takes it. */
const longestTarget = 16_384;

/** The last millisecond of the year 9999. */
const latestMs = 253_402_300_799_999;

export const sampleSchema = v.strictObject({
  method: v.optional(
    v.pipe(v.string(), v.regex(/^[A-Za-z]{1,16}$/, "must be an HTTP method such as POST"), v.toUpperCase()),
    "POST",
  ),
  suffix: v.optional(
    v.pipe(text(longestTarget), v.description("Path after /in/{sourceId}, decoded; empty or beginning with /.")),
    "",
  ),
  query: v.optional(v.pipe(text(longestTarget), v.description("Raw query string without ?.")), ""),
  headers: v.optional(v.record(v.string(), v.string()), {}),
  bodyBase64: v.optional(v.pipe(v.string(), v.base64("must be base64, with padding")), ""),
  nowMs: v.optional(
    v.pipe(
      v.number(),
      v.integer("must be a whole number"),
      v.minValue(0, "must not be negative"),
      v.maxValue(latestMs, "is no time"),
      v.description("The time at which it is judged, in epoch milliseconds; left out: now."),
    ),
  ),
});

export const sampleReport = v.strictObject({
  sourceId: v.string(),
  verified: v.boolean(),
  verifiedBy: v.pipe(
    v.nullable(v.string()),
    v.description("Id of the secret that matches, or the certificate's name; null where nothing is verified."),
  ),
  reason: v.pipe(v.nullable(v.string()), v.description("Why it is not verified.")),
  scheme: v.nullable(v.string()),
  at: v.pipe(
    v.string(),
    v.isoTimestamp(),
    v.metadata({ format: "date-time" }),
    v.description("The time at which it was judged."),
  ),
  steps: v.array(v.strictObject({ step: v.string(), ok: v.boolean(), detail: v.string() })),
  hints: v.pipe(v.array(v.string()), v.description("What would make it verify. No secret is shown.")),
});

export type SampleReport = v.InferOutput<typeof sampleReport>;
