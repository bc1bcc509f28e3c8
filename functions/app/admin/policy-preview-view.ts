import * as v from "valibot";
import { policyFields } from "./view-schemas.js";

/** The answer of `POST /admin/policy/preview`, as data, and what `steadyhook policy preview --json` prints. */

const seconds = v.number();
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const statusRange = v.strictObject({ from: count, to: count });
const statusRanges = v.array(statusRange);
const errors = v.array(v.string());

const bandFields = { earliestSeconds: seconds, nominalSeconds: seconds, latestSeconds: seconds };

const attempt = v.strictObject({
  number: v.pipe(count, v.minValue(1)),
  delay: v.pipe(
    v.strictObject(bandFields),
    v.description("Before it: with the least, the middle, the most of jitter."),
  ),
  at: v.pipe(
    v.strictObject({ ...bandFields, nominalSeconds: v.nullable(seconds) }),
    v.description("From the event's receipt; nominal is null where the time budget ends it before."),
  ),
  capped: v.pipe(v.boolean(), v.description("The cap shortened its delay.")),
  certain: v.pipe(
    v.boolean(),
    v.description("False: the time budget leaves room for it only if jitter comes out short."),
  ),
});

export const policyPreviewView = v.strictObject({
  policy: v.pipe(v.strictObject(policyFields), v.description("In force: preset and system defaults applied.")),
  attempts: v.pipe(
    v.array(attempt),
    v.description("When every attempt fails, without the time that they take themselves."),
  ),
  end: v.pipe(
    v.strictObject({
      ...bandFields,
      reasons: v.pipe(v.array(v.picklist(["exhausted", "max_age"])), v.description("Dead-letter reasons.")),
      leastAttempts: count,
      mostAttempts: count,
    }),
    v.description("The last attempt: when it has failed, the delivery is a dead letter."),
  ),
  cappedFromAttempt: v.pipe(v.nullable(count), v.description("First attempt whose delay the cap shortens.")),
  unreachedDelaysSeconds: v.pipe(v.array(seconds), v.description("Entries of a table that no attempt reaches.")),
  unreachedBecause: v.nullable(v.picklist(["maxAttempts", "maxAgeSeconds"])),
  longestRetryAfterSeconds: v.pipe(seconds, v.description("The longest wait that a Retry-After causes, with jitter.")),
  answers: v.pipe(
    v.strictObject({
      delivered: statusRanges,
      retried: statusRanges,
      never: statusRanges,
      disables: statusRanges,
      retriedErrors: errors,
      neverErrors: errors,
    }),
    v.description("What becomes of each status code, and of each typed error."),
  ),
});
