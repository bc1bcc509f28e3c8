import {
  AlarmStatusWidget,
  Dashboard as CloudWatchDashboard,
  GraphWidget,
  type IAlarm,
  type IMetric,
  type IWidget,
  PeriodOverride,
  SingleValueWidget,
  Stats,
} from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import type { MetricName } from "../functions/shared/metric-names.js";
import type { HttpApi } from "./http-api.js";
import type { Queues } from "./queues.js";
import type { RelayFunction } from "./relay-function.js";
import { usualPeriod as period, type RelayMetrics } from "./relay-metrics.js";

export interface DashboardProps {
  readonly metrics: RelayMetrics;
  readonly queues: Queues;
  readonly api: HttpApi;
  readonly functions: Readonly<Record<string, RelayFunction>>;
  readonly alarms: readonly IAlarm[];
}

/** One page from top to bottom: is anything wrong, what comes in, what goes out, what waits, and on what it runs. */
export class Dashboard extends Construct {
  constructor(scope: Construct, id: string, props: DashboardProps) {
    super(scope, id);
    const { alarms } = props;
    const dashboard = new CloudWatchDashboard(this, "Dashboard", { periodOverride: PeriodOverride.AUTO });
    if (alarms.length > 0) {
      dashboard.addWidgets(new AlarmStatusWidget({ title: "Alarms", alarms: [...alarms], width: 24, height: 4 }));
    }
    dashboard.addWidgets(...traffic(props));
    dashboard.addWidgets(...outcomes(props));
    dashboard.addWidgets(...waiting(props));
    dashboard.addWidgets(...queueGraphs(props));
    dashboard.addWidgets(...functionGraphs(props));
  }
}

const graph = (title: string, left: IMetric[], right: IMetric[] = []): GraphWidget =>
  new GraphWidget({ title, left, right, width: 8, height: 6, leftYAxis: { min: 0 }, rightYAxis: { min: 0 } });

function traffic({ metrics, api }: DashboardProps): IWidget[] {
  const sums = (...names: MetricName[]) => names.map((name) => metrics.sum(name));
  return [
    graph("Events in", sums("Accepted", "Refused", "Quarantined", "Duplicates")),
    graph(
      "API",
      [api.api.metricClientError({ period }), api.api.metricServerError({ period })],
      [api.api.metricLatency({ period, statistic: Stats.percentile(99), label: "Latency p99" })],
    ),
    new SingleValueWidget({
      title: "In the time shown",
      metrics: sums("Accepted", "Delivered", "DeadLettered", "Faults"),
      setPeriodToTimeRange: true,
      width: 8,
      height: 6,
    }),
  ];
}

function outcomes({ metrics }: DashboardProps): IWidget[] {
  const sums = (...names: MetricName[]) => names.map((name) => metrics.sum(name));
  const latency = (name: MetricName) =>
    [50, 95, 99].map((share) => metrics.percentile(name, share).with({ label: `${name} p${share}` }));
  return [
    graph(
      "Attempts and what came of them",
      sums("Attempts", "Delivered", "Retried", "LastAttemptReached", "DeadLettered"),
    ),
    graph("Retry rate", [metrics.retryRate()]),
    graph(
      "Latency: attempt (left), received to delivered (right)",
      latency("AttemptLatency"),
      latency("DeliveryLatency"),
    ),
  ];
}

function waiting({ metrics }: DashboardProps): IWidget[] {
  const ages: MetricName[] = ["OldestOverdueSeconds", "OldestParkedSeconds", "OldestOpenCircuitSeconds"];
  return [
    graph(
      "Circuits and parking",
      ["CircuitOpened", "CircuitClosed", "Parked"].map((name) => metrics.sum(name as MetricName)),
    ),
    graph(
      "Oldest, in seconds",
      ages.map((name) => metrics.maximum(name)),
    ),
    graph("Healed by the sweeper, and faults", [metrics.sum("Swept"), metrics.sum("Faults")]),
  ];
}

function queueGraphs({ queues }: DashboardProps): IWidget[] {
  const { delivery, slowLane, control, deadLetter, fault } = queues;
  const work = Object.entries({ delivery, "slow lane": slowLane, control });
  const ends = Object.entries({ "dead letter": deadLetter, fault });
  const depth = ([label, queue]: (typeof work)[number]) =>
    queue.metricApproximateNumberOfMessagesVisible({ period, statistic: Stats.MAXIMUM, label });
  return [
    graph(
      "Queues: oldest message, in seconds",
      work.map(([label, queue]) => queue.metricApproximateAgeOfOldestMessage({ period, label })),
    ),
    graph("Queues: messages that wait", work.map(depth)),
    graph("Dead letters and faults on their queues", ends.map(depth)),
  ];
}

function functionGraphs({ functions }: DashboardProps): IWidget[] {
  const all = Object.entries(functions);
  return [
    graph(
      "Functions: errors (left), throttles (right)",
      all.map(([label, each]) => each.metricErrors({ period, label })),
      all.map(([label, each]) => each.metricThrottles({ period, label })),
    ),
    graph(
      "Functions: duration p99",
      all.map(([label, each]) => each.metricDuration({ period, statistic: Stats.percentile(99), label })),
    ),
    graph(
      "Functions: concurrent executions",
      all.map(([label, each]) => each.metric("ConcurrentExecutions", { period, statistic: Stats.MAXIMUM, label })),
    ),
  ];
}
