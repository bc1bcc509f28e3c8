import { env } from "./env.js";
import {
  type CountName,
  type MetricName,
  metricsNamespace,
  metricUnits,
  relayDimension,
  type ValueName,
} from "./metric-names.js";

/** What CloudWatch takes of one metric in one line. */
const mostValues = 100;

/** What was gathered, by metric: a sum, or every value. */
export type Gathered = ReadonlyMap<MetricName, number | readonly number[]>;

/**
 * The lines that CloudWatch Logs turns into metrics (the Embedded Metric Format): one for everything that was gathered,
 * more only when a metric has over 100 values. None for nothing.
 */
export function metricLines(gathered: Gathered, relay: string, nowMs: number): readonly string[] {
  const lines: string[] = [];
  for (let rest = gathered; rest.size > 0; rest = furtherValues(rest)) lines.push(metricLine(rest, relay, nowMs));
  return lines;
}

function metricLine(gathered: Gathered, relay: string, nowMs: number): string {
  const Metrics = [...gathered.keys()].map((Name) => ({ Name, Unit: metricUnits[Name] }));
  const CloudWatchMetrics = [{ Namespace: metricsNamespace, Dimensions: [[relayDimension]], Metrics }];
  const shown = [...gathered].map(([name, value]) => [name, typeof value === "number" ? value : shortened(value)]);
  return JSON.stringify({
    _aws: { Timestamp: nowMs, CloudWatchMetrics },
    [relayDimension]: relay,
    ...Object.fromEntries(shown),
  });
}

/** A single value stands for itself. */
const shortened = (values: readonly number[]) => (values.length === 1 ? values[0] : values.slice(0, mostValues));

function furtherValues(gathered: Gathered): Gathered {
  const rest = new Map<MetricName, readonly number[]>();
  for (const [name, value] of gathered) {
    if (typeof value !== "number" && value.length > mostValues) rest.set(name, value.slice(mostValues));
  }
  return rest;
}

/** Gathers the numbers of one invocation, and writes them at its end: see {@link metricLines}. */
export class InvocationMetrics {
  private readonly gathered = new Map<MetricName, number | number[]>();

  constructor(
    private readonly relay: string = process.env[env.relayName] ?? "Steadyhook",
    private readonly write: (line: string) => void = (line) => void process.stdout.write(`${line}\n`),
  ) {}

  count(name: CountName, by = 1): void {
    if (!Number.isFinite(by) || by <= 0) return;
    const known = this.gathered.get(name);
    this.gathered.set(name, (typeof known === "number" ? known : 0) + by);
  }

  value(name: ValueName, value: number): void {
    // CloudWatch would drop the whole line.
    if (!Number.isFinite(value)) return;
    const known = this.gathered.get(name);
    if (Array.isArray(known)) known.push(Math.max(0, value));
    else this.gathered.set(name, [Math.max(0, value)]);
  }

  /** Writes what was gathered since the last time. Never throws: nobody's event depends on a number. */
  flush(nowMs: number): void {
    try {
      for (const line of metricLines(this.gathered, this.relay, nowMs)) this.write(line);
    } catch {
      // Nothing can be said where nothing can be written.
    }
    this.gathered.clear();
  }
}
