import { Duration } from "aws-cdk-lib";
import type { AlarmThresholds } from "./alarm-props.js";
import { positive, wholeNumber, wholeSeconds } from "./prop-checks.js";
import { PropError } from "./prop-error.js";

/** Every threshold, in the unit of its metric. */
export interface ResolvedThresholds {
  readonly deadLetters: number;
  readonly deadLetterQueueDepth: number;
  readonly retryRate: number;
  readonly retryRateMinimumAttempts: number;
  readonly queueAgeSeconds: number;
  readonly circuitOpenSeconds: number;
  readonly parkedSeconds: number;
  readonly overdueSeconds: number;
  readonly apiErrors: number;
}

/** Longest delay that SQS carries: the age of a message that is not late may be this. */
const longestDelaySeconds = 900;
const dayS = 86_400;

/** @throws PropError naming the threshold and the fix */
export function resolveThresholds(given: AlarmThresholds = {}): ResolvedThresholds {
  const named = (name: keyof AlarmThresholds) => `alarms.thresholds.${name}`;
  const count = (
    name: "deadLetters" | "deadLetterQueueDepth" | "retryRateMinimumAttempts" | "apiErrors",
    usual: number,
  ) => wholeNumber(named(name), given[name] ?? usual, 1, Number.MAX_SAFE_INTEGER);
  const seconds = (name: "queueAge" | "circuitOpen" | "parked" | "overdue", usual: Duration, least: number) =>
    wholeSeconds(named(name), given[name] ?? usual, least, 14 * dayS);
  return {
    deadLetters: count("deadLetters", 10),
    deadLetterQueueDepth: count("deadLetterQueueDepth", 100),
    retryRate: rate(named("retryRate"), given.retryRate ?? 0.3),
    retryRateMinimumAttempts: count("retryRateMinimumAttempts", 20),
    queueAgeSeconds: seconds("queueAge", Duration.minutes(30), longestDelaySeconds + 1),
    circuitOpenSeconds: seconds("circuitOpen", Duration.hours(1), 1),
    parkedSeconds: seconds("parked", Duration.days(1), 1),
    overdueSeconds: seconds("overdue", Duration.minutes(15), 1),
    apiErrors: count("apiErrors", 5),
  };
}

function rate(prop: string, value: number): number {
  positive(prop, value);
  if (value <= 1) return value;
  throw new PropError(prop, `must be at most 1 (got ${value})`, "Pass a share such as 0.3");
}
