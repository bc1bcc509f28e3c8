import type { Duration, RemovalPolicy } from "aws-cdk-lib";
import type { ICertificate } from "aws-cdk-lib/aws-certificatemanager";
import type { ISecurityGroup, IVpc, SubnetSelection } from "aws-cdk-lib/aws-ec2";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Architecture } from "aws-cdk-lib/aws-lambda";
import type { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { IHostedZone } from "aws-cdk-lib/aws-route53";
import type { AlarmSettings, AlertSettings } from "./alarm-props.js";

/** Policy presets that a subscription, or the system-wide default, may name. */
export type PolicyPreset = "default" | "hookwatch" | "notification-rules" | "standard-webhooks";

/** A custom domain of the HTTP API. */
export interface DomainSettings {
  /** Fully qualified name, e.g. `hooks.example.com`. */
  readonly domainName: string;
  /** Certificate for that name, in the region of the stack. */
  readonly certificate: ICertificate;
  /**
   * Zone in which the alias records are created.
   *
   * @default none: point the name at the `DomainTarget` output yourself
   */
  readonly hostedZone?: IHostedZone;
}

/** Request limits of the HTTP API; what exceeds them gets 429 from the gateway, before any function runs. */
export interface ThrottleSettings {
  /**
   * Requests per second, sustained.
   *
   * @default the account's limit (10,000 in most regions)
   */
  readonly rateLimit?: number;
  /**
   * Requests that may arrive at one moment.
   *
   * @default the account's limit (5,000 in most regions)
   */
  readonly burstLimit?: number;
}

/** What applies to subscriptions that say nothing themselves. Changing it needs no change to any subscription. */
export interface SystemDefaultSettings {
  /**
   * Preset of subscriptions that name none.
   *
   * @default "default" (exponential from 30 s, at most 1 h, 5 attempts)
   */
  readonly policyPreset?: PolicyPreset;
  /**
   * Most attempts per delivery, the first included: `System.webhookAttempts` of the Webhook Notification Retry Rules.
   *
   * @default the maximum of the preset
   */
  readonly maxAttempts?: number;
  /**
   * Limit for DNS, TCP and TLS together: CTIMEOUT of the Webhook Notification Retry Rules.
   *
   * @default Duration.seconds(15)
   */
  readonly connectTimeout?: Duration;
  /**
   * Longest silence while a response is awaited or read: RTIMEOUT of the Webhook Notification Retry Rules.
   *
   * @default Duration.seconds(60)
   */
  readonly readTimeout?: Duration;
}

/** Settings of a {@link Steadyhook} relay. Only `alarms` must be given. */
export interface SteadyhookProps {
  /** Where alarms go, or `false` to run without any: nobody is told then when deliveries start to die. */
  readonly alarms: AlarmSettings | false;
  /**
   * Posts alarms to Slack or to a webhook.
   *
   * @default none: only the topic is notified
   */
  readonly alerts?: AlertSettings;
  /**
   * A CloudWatch dashboard.
   *
   * @default true
   */
  readonly dashboard?: boolean;

  /**
   * Network that the functions run in, e.g. to reach private destinations or to send from a fixed address. It needs a
   * way to the destinations and to the AWS APIs (NAT, or endpoints for SQS, DynamoDB, S3, KMS, EventBridge
   * Scheduler; for the past in `/admin/stats` CloudWatch; with `alerts` Secrets Manager).
   *
   * @default none: the functions run in the network of Lambda
   */
  readonly vpc?: IVpc;
  /**
   * Subnets of `vpc`.
   *
   * @default the private subnets of `vpc`
   */
  readonly vpcSubnets?: SubnetSelection;
  /**
   * Security groups of the functions in `vpc`.
   *
   * @default a new group per function that allows all outbound traffic
   */
  readonly securityGroups?: readonly ISecurityGroup[];

  /**
   * Key that encrypts table, bucket and the secrets of sources and subscriptions. A key of another account must let
   * this account use it.
   *
   * @default a new key with yearly rotation
   */
  readonly encryptionKey?: IKey;

  /**
   * Custom domain of the HTTP API.
   *
   * @default none: the generated `execute-api` name
   */
  readonly domain?: DomainSettings;
  /**
   * Closes the generated `execute-api` name, so that `domain` is the only way in.
   *
   * @default false
   */
  readonly disableDefaultEndpoint?: boolean;
  /**
   * Base URL that providers use when something stands in front of the API, e.g. `https://hooks.example.com` of a
   * CloudFront distribution with a web ACL. Only shown in the `IngressUrl` output; signed calls (`/publish`, `/admin`)
   * keep the API's own name, since their signature covers it.
   *
   * @default the URL of `domain`, else of the generated name
   */
  readonly publicUrl?: string;
  /**
   * Request limits of the HTTP API.
   *
   * @default the account's limits
   */
  readonly throttle?: ThrottleSettings;

  /**
   * Most invocations of the delivery function that work on the delivery queue at once, 2 … 1,000, each sending up to
   * 10 requests in parallel. The slow lane, which deliveries with hanging destinations use, has a fifth of it (at
   * least 2) of its own. Choose more than (events a second of the largest subscription) × 6 / 10: a destination that
   * begins to hang takes slots until it is known after some 6 seconds.
   *
   * @default 50
   */
  readonly maxConcurrency?: number;
  /**
   * CIDR blocks of private destinations that deliveries may go to, e.g. `["10.20.0.0/16"]` of services in `vpc`. Every
   * other private, loopback or reserved address is refused. Link-local addresses, where the metadata services live,
   * cannot be named.
   *
   * @default none: public addresses only
   */
  readonly privateDestinations?: readonly string[];
  /**
   * Longest run of the delivery function, whole seconds up to 900. The deadline of a request, the lease of an attempt
   * and the visibility timeout of the queues all follow from it. Must leave 10 s after connect and read timeout.
   *
   * @default Duration.seconds(90)
   */
  readonly deliveryTimeout?: Duration;
  /**
   * Longest delay of a retry that waits in SQS, whole seconds up to 900; a later one becomes a schedule.
   *
   * @default Duration.seconds(900)
   */
  readonly maxQueueDelay?: Duration;

  /**
   * Processor of the functions.
   *
   * @default Architecture.ARM_64
   */
  readonly architecture?: Architecture;
  /**
   * How long finished deliveries stay, whole days from 8 on. What is still open 7 days before that is dead-lettered;
   * events stay 7 days longer than their deliveries, bodies in the bucket 14.
   *
   * @default Duration.days(30)
   */
  readonly retention?: Duration;
  /**
   * How long the logs of functions and API stay.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;
  /**
   * What becomes of table, bucket, key and logs when they leave the stack. `DESTROY` also lifts the table's deletion
   * protection; a bucket that still holds objects must be emptied first.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * What applies to subscriptions that say nothing themselves.
   *
   * @default see each setting
   */
  readonly defaults?: SystemDefaultSettings;

  /**
   * Folder of the built functions, `<name>/index.mjs` each.
   *
   * @default the folder that `npm run build` writes
   * @internal
   */
  readonly functionsPath?: string;
}
