/**
 * The relay's own metrics by name, with the unit that CloudWatch shows: names that the functions write and that the
 * constructs put on dashboard and alarms. docs/observability.md says what each one means.
 */

export const metricsNamespace = "Steadyhook";

/** The only dimension: which relay. Ids of sources or subscriptions would make a metric, and a price, of each. */
export const relayDimension = "Relay";

/** Added up. */
export const counts = {
  Accepted: "Count",
  Refused: "Count",
  Quarantined: "Count",
  Duplicates: "Count",
  Attempts: "Count",
  Delivered: "Count",
  Retried: "Count",
  LastAttemptReached: "Count",
  DeadLettered: "Count",
  Parked: "Count",
  CircuitOpened: "Count",
  CircuitClosed: "Count",
  Swept: "Count",
  Faults: "Count",
} as const;

/** Each value for itself: percentiles, and maxima of ages. */
export const values = {
  AttemptLatency: "Milliseconds",
  DeliveryLatency: "Milliseconds",
  OldestOverdueSeconds: "Seconds",
  OldestParkedSeconds: "Seconds",
  OldestOpenCircuitSeconds: "Seconds",
} as const;

export type CountName = keyof typeof counts;
export type ValueName = keyof typeof values;
export type MetricName = CountName | ValueName;

export const metricUnits: Readonly<Record<MetricName, string>> = { ...counts, ...values };
