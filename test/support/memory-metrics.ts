import type { Metrics } from "../../functions/app/metrics.js";
import type { MetricName } from "../../functions/shared/metric-names.js";

/** Metrics in memory: sums, and every value in the order in which it came. */
export interface MemoryMetrics extends Metrics {
  readonly counts: Partial<Record<MetricName, number>>;
  readonly values: Partial<Record<MetricName, number[]>>;
}

export function memoryMetrics(): MemoryMetrics {
  const counts: MemoryMetrics["counts"] = {};
  const values: MemoryMetrics["values"] = {};
  return {
    counts,
    values,
    count(name, by = 1) {
      if (by > 0) counts[name] = (counts[name] ?? 0) + by;
    },
    value(name, value) {
      values[name] = [...(values[name] ?? []), value];
    },
  };
}

/** For rigs in which nobody asks for numbers. */
export const noMetrics: Metrics = { count() {}, value() {} };
