import {
  Alarm,
  ComparisonOperator,
  type IAlarmAction,
  type IMetric,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";

/** Sections of docs/runbook.md that an alarm leads to, as its anchors are called. */
export type RunbookSection =
  | "dead-letter-spike"
  | "dead-letter-queue"
  | "retry-rate"
  | "queue-age"
  | "faults"
  | "fault-queue"
  | "function-errors"
  | "function-throttles"
  | "api-errors"
  | "circuit-open"
  | "parked-for-long"
  | "overdue"
  | "sweeper-stopped"
  | "alerts-lost";

export interface RelayAlarmProps {
  readonly metric: IMetric;
  /** What it means, in one sentence that ends with a full stop. */
  readonly meaning: string;
  readonly section: RunbookSection;
  /** Where docs/runbook.md is found. */
  readonly runbookUrl: string;
  readonly action: IAlarmAction;
  /** Rings when the metric reaches it. */
  readonly threshold: number;
  /**
   * Rings when the metric is below the threshold, or missing.
   *
   * @default false: it rings at or above it, and nothing counted means that all is well
   */
  readonly below?: boolean;
  /**
   * Of the last 3 periods this many must ring.
   *
   * @default 1, of the last 1
   */
  readonly of3?: 2 | 3;
}

/** An alarm that tells when it rings and when it is over, and leads to its section of the runbook. */
export class RelayAlarm extends Alarm {
  constructor(
    scope: Construct,
    id: string,
    { metric, meaning, section, runbookUrl, action, ...rest }: RelayAlarmProps,
  ) {
    const { threshold, below = false, of3 } = rest;
    super(scope, id, {
      metric,
      alarmDescription: `${meaning} What to do: ${runbookUrl}#${section}`,
      threshold,
      comparisonOperator: below
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: below ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      evaluationPeriods: of3 === undefined ? 1 : 3,
      datapointsToAlarm: of3 ?? 1,
    });
    this.addAlarmAction(action);
    this.addOkAction(action);
  }
}
