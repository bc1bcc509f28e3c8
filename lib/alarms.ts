import { Duration } from "aws-cdk-lib";
import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { AlarmSettings } from "./alarm-props.js";
import { type ResolvedThresholds, resolveThresholds } from "./alarm-thresholds.js";
import type { Alerts } from "./alerts.js";
import type { HttpApi } from "./http-api.js";
import type { Queues } from "./queues.js";
import { RelayAlarm, type RelayAlarmProps } from "./relay-alarm.js";
import type { RelayFunction } from "./relay-function.js";
import { type RelayMetrics, usualPeriod } from "./relay-metrics.js";

export interface AlarmsProps {
  readonly topic: ITopic;
  readonly alarms: AlarmSettings;
  readonly metrics: RelayMetrics;
  readonly queues: Queues;
  readonly api: HttpApi;
  /** By name; every one of them. */
  readonly functions: Readonly<Record<string, RelayFunction>>;
  readonly alerts: Alerts | undefined;
}

/** Ticks of an open circuit are at most 15 minutes apart, jitter on top. */
const longestTickPeriod = Duration.minutes(30);

/** Every alarm of a relay: each one asks for somebody, and each has a section in docs/runbook.md. */
export class Alarms extends Construct {
  readonly all: RelayAlarm[] = [];
  private readonly action: SnsAction;
  private readonly runbookUrl: string;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    this.action = new SnsAction(props.topic);
    this.runbookUrl = props.alarms.runbookUrl ?? "docs/runbook.md";
    const thresholds = resolveThresholds(props.alarms.thresholds);
    this.watchDeliveries(props, thresholds);
    this.watchQueues(props, thresholds);
    this.watchSweeper(props.metrics, thresholds);
    this.watchFunctions(props, thresholds);
  }

  private watchDeliveries({ metrics }: AlarmsProps, thresholds: ResolvedThresholds): void {
    this.add("DeadLetterSpike", "dead-letter-spike", {
      metric: metrics.sum("DeadLettered"),
      threshold: thresholds.deadLetters,
      meaning: "Many deliveries got their last failure: they are not attempted again.",
    });
    this.add("RetryRate", "retry-rate", {
      metric: metrics.retryRate(thresholds.retryRateMinimumAttempts),
      threshold: thresholds.retryRate,
      of3: 3,
      meaning: "Many attempts fail and are retried: a destination degrades.",
    });
    this.add("CircuitOpen", "circuit-open", {
      metric: metrics.maximum("OldestOpenCircuitSeconds", longestTickPeriod),
      threshold: thresholds.circuitOpenSeconds,
      meaning: "A destination has been failing for long: its deliveries are parked.",
    });
    this.add("ParkedForLong", "parked-for-long", {
      metric: metrics.maximum("OldestParkedSeconds"),
      threshold: thresholds.parkedSeconds,
      meaning: "Deliveries wait at a closed gate, paused or failing, and will end with their time budget or retention.",
    });
  }

  private watchQueues({ metrics, queues }: AlarmsProps, thresholds: ResolvedThresholds): void {
    const { delivery, slowLane, control } = queues;
    for (const [name, queue] of Object.entries({ Delivery: delivery, SlowLane: slowLane, Control: control })) {
      this.add(`${name}QueueAge`, "queue-age", {
        metric: queue.metricApproximateAgeOfOldestMessage({ period: usualPeriod }),
        threshold: thresholds.queueAgeSeconds,
        of3: 2,
        meaning: `The oldest message of the ${name} queue is later than any delay makes it: the relay falls behind.`,
      });
    }
    this.add("Faults", "faults", {
      metric: metrics.sum("Faults"),
      threshold: 1,
      meaning: "A message could not be processed by the relay's own code: it is kept, and waits for a redrive.",
    });
    this.add("FaultQueue", "fault-queue", {
      metric: depthOf(queues.fault),
      threshold: 1,
      of3: 3,
      meaning: "Messages stay on the fault queue: they are not kept, and SQS forgets them after 14 days.",
    });
    this.add("DeadLetterQueue", "dead-letter-queue", {
      metric: depthOf(queues.deadLetter),
      threshold: thresholds.deadLetterQueueDepth,
      meaning: "Many dead letters lie on their queue, and nobody takes them.",
    });
  }

  private watchSweeper(metrics: RelayMetrics, thresholds: ResolvedThresholds): void {
    this.add("Overdue", "overdue", {
      metric: metrics.maximum("OldestOverdueSeconds"),
      threshold: thresholds.overdueSeconds,
      meaning: "A retry is long overdue: what the sweeper sent again was lost as well, or is not worked off.",
    });
    this.add("SweeperStopped", "sweeper-stopped", {
      metric: metrics.samples("OldestOverdueSeconds", Duration.minutes(15)),
      threshold: 1,
      below: true,
      meaning: "No sweep has ended for 15 minutes: what is lost does not heal.",
    });
  }

  private watchFunctions({ functions, api, alerts }: AlarmsProps, thresholds: ResolvedThresholds): void {
    for (const [name, each] of Object.entries(functions)) {
      const named = `${name[0]?.toUpperCase()}${name.slice(1)}`;
      this.add(`${named}Errors`, "function-errors", {
        metric: each.metricErrors({ period: usualPeriod }),
        threshold: 1,
        of3: 2,
        meaning: `The ${name} function fails as a whole: it crashes, runs out of time or memory, or cannot start.`,
      });
      this.add(`${named}Throttles`, "function-throttles", {
        metric: each.metricThrottles({ period: usualPeriod }),
        threshold: 1,
        of3: 2,
        meaning: `The ${name} function is throttled: the account's concurrency is used up.`,
      });
    }
    this.add("ApiErrors", "api-errors", {
      metric: api.api.metricServerError({ period: usualPeriod, statistic: "Sum" }),
      threshold: thresholds.apiErrors,
      meaning: "Requests are answered with 5xx: providers' events are not accepted, and come again only if they retry.",
    });
    if (alerts === undefined) return;
    this.add("AlertsLost", "alerts-lost", {
      metric: depthOf(alerts.failures),
      threshold: 1,
      meaning: "An alert could not be posted, after three tries.",
    });
  }

  private add(
    id: string,
    section: RelayAlarmProps["section"],
    props: Omit<RelayAlarmProps, "action" | "runbookUrl" | "section">,
  ): void {
    const { action, runbookUrl } = this;
    this.all.push(new RelayAlarm(this, id, { ...props, section, action, runbookUrl }));
  }
}

const depthOf = (queue: Queue): IMetric =>
  queue.metricApproximateNumberOfMessagesVisible({ period: usualPeriod, statistic: "Maximum" });
