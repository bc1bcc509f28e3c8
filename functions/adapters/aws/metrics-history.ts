import type { MetricsHistory, Span, Sums } from "../../app/admin/metrics-history.js";
import { log } from "../../shared/log.js";
import { type CountName, metricsNamespace, relayDimension } from "../../shared/metric-names.js";
import type { EnvironmentCredentials } from "./environment-credentials.js";
import { callJson } from "./json-call.js";

export interface CloudWatchSettings {
  /** Of the metrics' only dimension. */
  readonly relayName: string;
  readonly region: () => string;
  /** Instead of the region's own endpoint; undefined: that one. */
  readonly endpoint: string | undefined;
  readonly credentials: () => Promise<EnvironmentCredentials>;
  readonly now: () => number;
}

/** How old an answer may be: CloudWatch charges for each metric that is asked for, and a console asks all the time. */
const keptMs = 30_000;

/** Sums of the relay's metrics, by CloudWatch's GetMetricData. One call without the SDK's client for it. */
export class CloudWatchHistory implements MetricsHistory {
  private readonly kept = new Map<
    string,
    { readonly untilMs: number; readonly sums: Promise<Sums<CountName> | null> }
  >();

  constructor(private readonly settings: CloudWatchSettings) {}

  async sums<Name extends CountName>(names: readonly Name[], span: Span): Promise<Sums<Name> | null> {
    const key = JSON.stringify([names, span]);
    const nowMs = this.settings.now();
    for (const [each, { untilMs }] of this.kept) if (untilMs <= nowMs) this.kept.delete(each);
    const sums = this.kept.get(key)?.sums ?? this.read(names, span);
    this.kept.set(key, { untilMs: this.kept.get(key)?.untilMs ?? nowMs + keptMs, sums });
    const found = await sums;
    if (found === null) this.kept.delete(key);
    return found as Sums<Name> | null;
  }

  private async read(names: readonly CountName[], span: Span): Promise<Sums<CountName> | null> {
    try {
      return sumsOf(names, span, await this.call(metricDataQuestion(this.settings.relayName, names, span)));
    } catch (error) {
      log("warn", "metrics not read", { error });
      return null;
    }
  }

  private call(question: object): Promise<MetricData> {
    const { region, endpoint, credentials, now } = this.settings;
    const monitoring = { service: "monitoring", region: region(), endpoint, credentials, now };
    return callJson<MetricData>(monitoring, "GraniteServiceVersion20100801.GetMetricData", "1.0", question);
  }
}

interface MetricData {
  readonly MetricDataResults: ReadonlyArray<{
    readonly Id: string;
    /** Epoch seconds. */
    readonly Timestamps: readonly number[];
    readonly Values: readonly number[];
  }>;
}

/** At most 24 hours by the minute of 20 metrics: far below the 100,800 values that one answer holds. */
function metricDataQuestion(
  relayName: string,
  names: readonly CountName[],
  { fromMs, steps, stepSeconds }: Span,
): object {
  return {
    StartTime: fromMs / 1000,
    EndTime: fromMs / 1000 + steps * stepSeconds,
    MetricDataQueries: names.map((name, index) => ({
      Id: `m${index}`,
      MetricStat: {
        Metric: {
          Namespace: metricsNamespace,
          MetricName: name,
          Dimensions: [{ Name: relayDimension, Value: relayName }],
        },
        Period: stepSeconds,
        Stat: "Sum",
      },
    })),
  };
}

function sumsOf(names: readonly CountName[], { fromMs, steps, stepSeconds }: Span, data: MetricData): Sums<CountName> {
  const entries = names.map((name, index): [CountName, number[]] => {
    const sums = Array.from({ length: steps }, () => 0);
    const result = data.MetricDataResults.find(({ Id }) => Id === `m${index}`);
    for (const [at, timestamp] of (result?.Timestamps ?? []).entries()) {
      const step = Math.floor((timestamp - fromMs / 1000) / stepSeconds);
      if (step in sums) sums[step] = (sums[step] ?? 0) + (result?.Values[at] ?? 0);
    }
    return [name, sums];
  });
  return Object.fromEntries(entries) as Record<CountName, number[]>;
}
