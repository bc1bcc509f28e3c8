import type { Duration } from "aws-cdk-lib";
import type { ISecret } from "aws-cdk-lib/aws-secretsmanager";
import type { ITopic } from "aws-cdk-lib/aws-sns";

/** Where alarms go, and when they ring. `{}` is complete. */
export interface AlarmSettings {
  /**
   * Topic that every alarm notifies, when it rings and when it is over. CloudWatch must be allowed to publish there.
   *
   * @default a new one
   */
  readonly topic?: ITopic;
  /**
   * Address that is subscribed to the topic; AWS asks it for a confirmation.
   *
   * @default none
   */
  readonly email?: string;
  /**
   * When the alarms ring.
   *
   * @default see each threshold
   */
  readonly thresholds?: AlarmThresholds;
  /**
   * Where docs/runbook.md is found by who gets an alarm, e.g. its address in your wiki: descriptions lead there.
   *
   * @default "docs/runbook.md"
   */
  readonly runbookUrl?: string;
}

/** When alarms ring: at the value, and above it. */
export interface AlarmThresholds {
  /**
   * Deliveries that die within five minutes.
   *
   * @default 10
   */
  readonly deadLetters?: number;
  /**
   * Dead letters that lie on their queue.
   *
   * @default 100
   */
  readonly deadLetterQueueDepth?: number;
  /**
   * Share of attempts that are followed by a retry, above 0 up to 1, for 15 minutes.
   *
   * @default 0.3
   */
  readonly retryRate?: number;
  /**
   * Attempts in five minutes below which the retry rate says nothing.
   *
   * @default 20
   */
  readonly retryRateMinimumAttempts?: number;
  /**
   * Age of the oldest message of a queue. Above 900 s, which a message may be delayed.
   *
   * @default Duration.minutes(30)
   */
  readonly queueAge?: Duration;
  /**
   * How long a destination's circuit has been open.
   *
   * @default Duration.hours(1)
   */
  readonly circuitOpen?: Duration;
  /**
   * How long the oldest parked delivery has waited.
   *
   * @default Duration.days(1)
   */
  readonly parked?: Duration;
  /**
   * How long a retry is overdue that the sweeper finds.
   *
   * @default Duration.minutes(15)
   */
  readonly overdue?: Duration;
  /**
   * Requests within five minutes that were answered with 5xx.
   *
   * @default 5
   */
  readonly apiErrors?: number;
}

/**
 * Where alarms are posted, besides their topic: to Slack, by an incoming webhook whose URL is the secret's value, or to
 * any URL, signed as Standard Webhooks by a `whsec_…` secret.
 */
export type AlertSettings =
  | { readonly slackWebhookUrl: ISecret }
  | { readonly webhookUrl: string; readonly signingSecret: ISecret };
