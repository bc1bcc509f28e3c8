/**
 * Names of the environment variables that the constructs set and the functions read: the only thing that the two
 * worlds share besides the table's layout.
 */
export const env = {
  tableName: "TABLE_NAME",
  bucketName: "BUCKET_NAME",
  keyId: "KMS_KEY_ID",
  deliveryQueueUrl: "DELIVERY_QUEUE_URL",
  slowQueueUrl: "SLOW_QUEUE_URL",
  controlQueueUrl: "CONTROL_QUEUE_URL",
  deadLetterQueueUrl: "DEAD_LETTER_QUEUE_URL",
  faultQueueUrl: "FAULT_QUEUE_URL",
  /** ARNs by which the sweeper tells what a message comes from. */
  controlQueueArn: "CONTROL_QUEUE_ARN",
  faultQueueArn: "FAULT_QUEUE_ARN",
  /** ARN of the delivery queue: the target of schedules. */
  deliveryQueueArn: "DELIVERY_QUEUE_ARN",
  scheduleGroup: "SCHEDULE_GROUP",
  /** Role that EventBridge Scheduler assumes to send to the delivery queue. */
  scheduleRoleArn: "SCHEDULE_ROLE_ARN",
  /** JSON of {@link SystemDefaults}. */
  systemDefaults: "SYSTEM_DEFAULTS",
  /** Days that terminal deliveries stay; default 30. */
  retentionDays: "RETENTION_DAYS",
  /** Timeout of the delivery function: the admin API refuses limits of attempts that do not fit into it. */
  deliveryTimeoutSeconds: "DELIVERY_TIMEOUT_SECONDS",
  /** Longest delay, in seconds, that SQS carries; above it a schedule is created. Default 900, tests lower it. */
  maxQueueDelaySeconds: "MAX_QUEUE_DELAY_SECONDS",
  /** `true`: destinations on loopback addresses are allowed (local relay only). */
  allowLoopback: "ALLOW_LOOPBACK_DESTINATIONS",
  /** CIDR blocks of private destinations, separated by commas; default none. */
  privateCidrs: "PRIVATE_DESTINATION_CIDRS",
  /** Which relay the metrics are of. */
  relayName: "RELAY_NAME",
  /** Secret of the alert function: Slack's URL, or what a webhook is signed with. */
  alertSecretArn: "ALERT_SECRET_ARN",
  /** Where alerts go; absent: to Slack, whose URL is the secret. */
  alertWebhookUrl: "ALERT_WEBHOOK_URL",
  logLevel: "LOG_LEVEL",
} as const;

/** The system-wide defaults (the notification rules' System.webhookAttempts, CTIMEOUT and RTIMEOUT). */
export interface SystemDefaults {
  /** Policy preset of subscriptions that name none. */
  readonly policyPreset: string;
  /** Replaces the presets' maximum where given. */
  readonly maxAttempts?: number;
  /** CTIMEOUT. */
  readonly connectSeconds: number;
  /** RTIMEOUT. */
  readonly readSeconds: number;
}
