/** What a minute of one metric came to. */
interface Minute {
  sum: number;
  count: number;
  minimum: number;
  maximum: number;
}

/** One metric's values, merged into periods of whole minutes: `[start in epoch seconds, what it came to]`. */
export type Periods = ReadonlyMap<number, Readonly<Minute>>;

/** Minutes that are kept: a day, and the hour that a question may begin before it. */
const keptMinutes = 25 * 60;

const minuteMs = 60_000;

/**
 * The metrics that the functions write as lines of the embedded metric format, by namespace, dimensions and name, summed
 * up by the minute. In memory: they begin with the process.
 */
export class MetricSums {
  private readonly series = new Map<string, Map<number, Minute>>();

  constructor(private readonly now: () => number) {}

  /** Takes a line that a function wrote; every other line is none of ours. */
  takeLine(line: string): void {
    if (!line.startsWith('{"_aws":')) return;
    const entry = parsed(line);
    for (const { Namespace, Dimensions = [], Metrics = [] } of entry?._aws?.CloudWatchMetrics ?? []) {
      for (const names of Dimensions) {
        const dimensions = names.map((name): [string, string] => [name, String(entry?.[name])]);
        for (const { Name } of Metrics) this.add(seriesKey(Namespace, Name, dimensions), entry?.[Name]);
      }
    }
  }

  /** Periods that have values, from `fromSeconds` (included) to `untilSeconds` (not included), epoch seconds. */
  periods(key: string, fromSeconds: number, untilSeconds: number, periodSeconds: number): Periods {
    const periods = new Map<number, Minute>();
    for (const [minute, values] of this.series.get(key) ?? []) {
      const startSeconds = Math.floor((minute * 60) / periodSeconds) * periodSeconds;
      if (minute * 60 < fromSeconds || minute * 60 >= untilSeconds) continue;
      periods.set(startSeconds, merged(periods.get(startSeconds), values));
    }
    return periods;
  }

  private add(key: string, given: unknown): void {
    const values = [given].flat().filter((value): value is number => typeof value === "number");
    const minute = Math.floor(this.now() / minuteMs);
    const series = this.series.get(key) ?? new Map<number, Minute>();
    this.series.set(key, series);
    for (const value of values) {
      series.set(minute, merged(series.get(minute), { sum: value, count: 1, minimum: value, maximum: value }));
    }
    // In the order in which they came, which is that of time.
    for (const oldest of series.keys()) {
      if (oldest > minute - keptMinutes) break;
      series.delete(oldest);
    }
  }
}

/** Names a series: dimensions in any order are the same one. */
export function seriesKey(
  namespace: unknown,
  name: unknown,
  dimensions: ReadonlyArray<readonly [string, string]>,
): string {
  return JSON.stringify([namespace, name, [...dimensions].sort(([a], [b]) => (a < b ? -1 : 1))]);
}

function merged(known: Minute | undefined, values: Minute): Minute {
  if (known === undefined) return values;
  return {
    sum: known.sum + values.sum,
    count: known.count + values.count,
    minimum: Math.min(known.minimum, values.minimum),
    maximum: Math.max(known.maximum, values.maximum),
  };
}

interface MetricLine extends Readonly<Record<string, unknown>> {
  readonly _aws?: {
    readonly CloudWatchMetrics?: ReadonlyArray<{
      readonly Namespace?: string;
      readonly Dimensions?: readonly (readonly string[])[];
      readonly Metrics?: ReadonlyArray<{ readonly Name: string }>;
    }>;
  };
}

function parsed(line: string): MetricLine | null {
  try {
    return JSON.parse(line) as MetricLine;
  } catch {
    return null; // a line that was cut
  }
}
