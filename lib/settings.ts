import { isIP } from "node:net";
import { Duration, RemovalPolicy, Token } from "aws-cdk-lib";
import { Architecture } from "aws-cdk-lib/aws-lambda";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import { resolveThresholds } from "./alarm-thresholds.js";
import { positive, wholeDays, wholeNumber, wholeSeconds } from "./prop-checks.js";
import { PropError } from "./prop-error.js";
import type { PolicyPreset, SteadyhookProps } from "./steadyhook-props.js";

/** What the delivery function needs after the last byte of a response: to record, enqueue what follows and answer. */
const recordSeconds = 10;

/** Lambda's longest timeout. */
const longestTimeoutSeconds = 900;

/** SQS's longest delay. */
const longestQueueDelaySeconds = 900;

/** Open deliveries are dead-lettered 7 days before they would expire; below 8 days that would be at once. */
const shortestRetentionDays = 8;

const policyPresets: readonly PolicyPreset[] = ["default", "hookwatch", "notification-rules", "standard-webhooks"];

/** The props with every default applied, checked: what the inner constructs read. */
export interface Settings {
  readonly deliveryTimeout: Duration;
  readonly maxConcurrency: number;
  readonly slowLaneConcurrency: number;
  readonly maxQueueDelaySeconds: number | undefined;
  /** Separated by commas; undefined: none. */
  readonly privateDestinations: string | undefined;
  readonly architecture: Architecture;
  readonly retention: Duration;
  readonly logRetention: RetentionDays;
  readonly removalPolicy: RemovalPolicy;
  readonly policyPreset: PolicyPreset;
  readonly maxAttempts: number | undefined;
  readonly connectTimeout: Duration;
  readonly readTimeout: Duration;
}

/**
 * Applies the defaults and refuses what cannot work, before anything is created.
 *
 * @throws PropError naming the prop and the fix
 */
export function resolveSettings(props: SteadyhookProps): Settings {
  checkAlarms(props);
  checkNetwork(props);
  checkEndpoint(props);
  checkThrottle(props);
  const maxConcurrency = wholeNumber("maxConcurrency", props.maxConcurrency ?? 50, 2, 1000);
  return {
    ...resolveTimes(props),
    privateDestinations: checkCidrs(props.privateDestinations ?? []),
    maxConcurrency,
    slowLaneConcurrency: Math.max(2, Math.ceil(maxConcurrency / 5)),
    architecture: props.architecture ?? Architecture.ARM_64,
    logRetention: props.logRetention ?? RetentionDays.ONE_MONTH,
    removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN,
    policyPreset: checkPreset(props.defaults?.policyPreset ?? "default"),
    maxAttempts:
      props.defaults?.maxAttempts === undefined
        ? undefined
        : wholeNumber("defaults.maxAttempts", props.defaults.maxAttempts, 1, 1000),
  };
}

function resolveTimes(props: SteadyhookProps) {
  const deliveryTimeout = props.deliveryTimeout ?? Duration.seconds(90);
  const connectTimeout = props.defaults?.connectTimeout ?? Duration.seconds(15);
  const readTimeout = props.defaults?.readTimeout ?? Duration.seconds(60);
  const maxQueueDelay = props.maxQueueDelay;
  const retention = props.retention ?? Duration.days(30);

  wholeSeconds("deliveryTimeout", deliveryTimeout, 1, longestTimeoutSeconds);
  wholeSeconds("defaults.connectTimeout", connectTimeout, 1, longestTimeoutSeconds);
  wholeSeconds("defaults.readTimeout", readTimeout, 1, longestTimeoutSeconds);
  checkAttemptFits(deliveryTimeout, connectTimeout, readTimeout);
  wholeDays("retention", retention, shortestRetentionDays);
  return {
    deliveryTimeout,
    connectTimeout,
    readTimeout,
    retention,
    maxQueueDelaySeconds: maxQueueDelay && wholeSeconds("maxQueueDelay", maxQueueDelay, 1, longestQueueDelaySeconds),
  };
}

function checkAttemptFits(deliveryTimeout: Duration, connectTimeout: Duration, readTimeout: Duration): void {
  const needed = connectTimeout.toSeconds() + readTimeout.toSeconds() + recordSeconds;
  if (deliveryTimeout.toSeconds() >= needed) return;
  throw new PropError(
    "deliveryTimeout",
    `is ${deliveryTimeout.toSeconds()} s, but connect timeout, read timeout and ${recordSeconds} s to record take ${needed} s`,
    `Raise deliveryTimeout to at least ${needed} s, or lower defaults.connectTimeout or defaults.readTimeout`,
  );
}

/** The functions read them with a parser that throws: what it would refuse must not be deployed. */
function checkCidrs(blocks: readonly string[]): string | undefined {
  for (const block of blocks) {
    const [address = "", bits = ""] = block.split("/");
    const version = isIP(address);
    const valid = version !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
    if (valid) continue;
    throw new PropError("privateDestinations", `names "${block}", which is no CIDR block`, 'Use e.g. "10.20.0.0/16"');
  }
  return blocks.length === 0 ? undefined : blocks.join(",");
}

function checkAlarms({ alarms, alerts }: SteadyhookProps): void {
  if (alarms === undefined) {
    throw new PropError("alarms", "is missing", "Pass {}, { topic } or, to run without alarms, false");
  }
  if (alarms !== false) resolveThresholds(alarms.thresholds);
  if (alerts === undefined) return;
  if (alarms === false) {
    throw new PropError(
      "alerts",
      "is given without alarms, which it posts",
      "Pass alarms as well, or leave out alerts",
    );
  }
  if ("webhookUrl" in alerts) checkHttps("alerts.webhookUrl", alerts.webhookUrl);
}

function checkNetwork({ vpc, vpcSubnets, securityGroups }: SteadyhookProps): void {
  if (vpc !== undefined) return;
  const orphan = vpcSubnets !== undefined ? "vpcSubnets" : securityGroups !== undefined ? "securityGroups" : undefined;
  if (orphan) throw new PropError(orphan, "is given without vpc", `Pass vpc as well, or leave out ${orphan}`);
}

function checkEndpoint({ domain, disableDefaultEndpoint, publicUrl }: SteadyhookProps): void {
  if (disableDefaultEndpoint && !domain) {
    throw new PropError("disableDefaultEndpoint", "would leave no way in", "Pass domain as well, or leave it out");
  }
  if (publicUrl !== undefined) checkHttps("publicUrl", publicUrl);
}

function checkHttps(prop: string, url: string): void {
  if (Token.isUnresolved(url) || /^https:\/\/[^/?#\s]+(\/[^?#\s]*)?$/.test(url)) return;
  throw new PropError(
    prop,
    `is not an https URL without query (got "${url}")`,
    'Pass something like "https://hooks.example.com"',
  );
}

function checkThrottle({ throttle }: SteadyhookProps): void {
  if (throttle?.rateLimit !== undefined) positive("throttle.rateLimit", throttle.rateLimit);
  if (throttle?.burstLimit !== undefined) {
    wholeNumber("throttle.burstLimit", throttle.burstLimit, 1, Number.MAX_SAFE_INTEGER);
  }
}

function checkPreset(preset: PolicyPreset): PolicyPreset {
  if (policyPresets.includes(preset)) return preset;
  throw new PropError(
    "defaults.policyPreset",
    `is not a preset (got "${preset}")`,
    `Use one of ${policyPresets.join(", ")}`,
  );
}
