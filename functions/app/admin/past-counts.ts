import type { MetricsHistory, Span, Sums } from "./metrics-history.js";
import type { SeriesView, StatsQuery, TotalsView, WindowView } from "./stats-schemas.js";
import { isoTime } from "./views.js";

/** Which metric each counter of the answer is. */
const counters = {
  accepted: "Accepted",
  refused: "Refused",
  attempts: "Attempts",
  delivered: "Delivered",
  retried: "Retried",
  lastAttemptReached: "LastAttemptReached",
  deadLettered: "DeadLettered",
  parked: "Parked",
  circuitOpened: "CircuitOpened",
  faults: "Faults",
} as const;

type Counter = keyof typeof counters;
type Counted = (typeof counters)[Counter];

const names = Object.values(counters);

/** What was counted in the last hour and in the last day, and the same by steps when that is asked for. */
export async function pastCounts(
  history: MetricsHistory,
  series: StatsQuery["series"],
  nowMs: number,
): Promise<{ readonly window: WindowView; readonly series?: SeriesView }> {
  const spans = { "1h": spanUntil(nowMs, 60, 60), "24h": spanUntil(nowMs, 288, 300) };
  const [hour, day] = await Promise.all([history.sums(names, spans["1h"]), history.sums(names, spans["24h"])]);
  const window = hour === null || day === null ? null : { lastHour: totals(hour), lastDay: totals(day) };
  if (series === undefined) return { window };
  return { window, series: seriesOf(series === "1h" ? hour : day, spans[series]) };
}

/** The steps up to and with the one that is now. */
function spanUntil(nowMs: number, steps: number, stepSeconds: number): Span {
  const stepMs = stepSeconds * 1000;
  return { fromMs: (Math.floor(nowMs / stepMs) + 1 - steps) * stepMs, steps, stepSeconds };
}

function totals(sums: Sums<Counted>): TotalsView {
  const counted = byCounter((name) => sums[name].reduce((sum, value) => sum + value, 0));
  const { attempts, retried } = counted;
  return { ...counted, retryRate: attempts === 0 ? null : Math.round((retried / attempts) * 10_000) / 10_000 };
}

function seriesOf(sums: Sums<Counted> | null, { fromMs, stepSeconds }: Span): SeriesView {
  if (sums === null) return null;
  return { startsAt: isoTime(fromMs), stepSeconds, counts: byCounter((name) => [...sums[name]]) };
}

function byCounter<Value>(show: (name: Counted) => Value): Record<Counter, Value> {
  const entries = Object.entries(counters).map(([counter, name]) => [counter, show(name)]);
  return Object.fromEntries(entries) as Record<Counter, Value>;
}
