import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { type MetricName, metricsNamespace, relayDimension } from "../functions/shared/metric-names.js";

/** How finely alarms and dashboard look: less traffic than one event a minute makes gaps below it. */
export const usualPeriod = Duration.minutes(5);

/** The relay's own metrics, as its functions write them: docs/observability.md says what each one means. */
export class RelayMetrics {
  constructor(private readonly relayName: string) {}

  sum(metricName: MetricName, period = usualPeriod): Metric {
    return this.metric(metricName, Stats.SUM, period);
  }

  maximum(metricName: MetricName, period = usualPeriod): Metric {
    return this.metric(metricName, Stats.MAXIMUM, period);
  }

  /** How many values there were. */
  samples(metricName: MetricName, period = usualPeriod): Metric {
    return this.metric(metricName, Stats.SAMPLE_COUNT, period);
  }

  percentile(metricName: MetricName, percentile: number): Metric {
    return this.metric(metricName, Stats.percentile(percentile), usualPeriod);
  }

  /** Retries per attempt, 0 to 1; 0 while there are fewer than `minimumAttempts`. */
  retryRate(minimumAttempts = 1): IMetric {
    return new MathExpression({
      expression: `IF(attempts >= ${minimumAttempts}, FILL(retried, 0) / attempts, 0)`,
      usingMetrics: { attempts: this.sum("Attempts"), retried: this.sum("Retried") },
      label: "Retry rate",
      period: usualPeriod,
    });
  }

  private metric(metricName: MetricName, statistic: string, period: Duration): Metric {
    return new Metric({
      namespace: metricsNamespace,
      metricName,
      dimensionsMap: { [relayDimension]: this.relayName },
      statistic,
      period,
    });
  }
}
