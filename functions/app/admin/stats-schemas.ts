import * as v from "valibot";

/** What `/admin/stats` shows of the past: see docs/observability.md for what each number counts. */

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const counters = {
  accepted: v.pipe(count, v.description("Events that were accepted.")),
  refused: v.pipe(count, v.description("Requests that were refused.")),
  attempts: v.pipe(count, v.description("Attempts that were recorded.")),
  delivered: count,
  retried: v.pipe(count, v.description("Attempts after which a retry was scheduled.")),
  lastAttemptReached: v.pipe(count, v.description("Deliveries that came to their last attempt, of several.")),
  deadLettered: v.pipe(count, v.description("Without those that somebody chose: cancelled, subscription deleted.")),
  parked: count,
  circuitOpened: count,
  faults: count,
};

const totalsView = v.strictObject({
  ...counters,
  retryRate: v.pipe(v.nullable(v.number()), v.description("Retried per attempt, 0 to 1; null: no attempt.")),
});

export const windowView = v.pipe(
  v.nullable(v.strictObject({ lastHour: totalsView, lastDay: totalsView })),
  v.description("From the metrics, which are a minute or two late; null: they cannot be read now."),
);

const perStep = v.array(count);

export const seriesView = v.pipe(
  v.nullable(
    v.strictObject({
      startsAt: v.pipe(v.string(), v.isoTimestamp(), v.metadata({ format: "date-time" })),
      stepSeconds: v.pipe(v.number(), v.integer()),
      counts: v.strictObject({
        accepted: perStep,
        refused: perStep,
        attempts: perStep,
        delivered: perStep,
        retried: perStep,
        lastAttemptReached: perStep,
        deadLettered: perStep,
        parked: perStep,
        circuitOpened: perStep,
        faults: perStep,
      }),
    }),
  ),
  v.description("One number per step, the last one still growing; null: the metrics cannot be read now."),
);

export const statsQuerySchema = v.strictObject({
  series: v.optional(
    v.pipe(
      v.picklist(["1h", "24h"]),
      v.description("Adds `series`: the last hour by the minute, or the last day by five."),
    ),
  ),
});

export type StatsQuery = v.InferOutput<typeof statsQuerySchema>;
export type WindowView = v.InferOutput<typeof windowView>;
export type TotalsView = v.InferOutput<typeof totalsView>;
export type SeriesView = v.InferOutput<typeof seriesView>;
