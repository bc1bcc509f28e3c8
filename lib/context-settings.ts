import { Duration } from "aws-cdk-lib";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Topic } from "aws-cdk-lib/aws-sns";
import type { Construct, Node } from "constructs";
import type { AlarmSettings, AlertSettings } from "./alarm-props.js";
import { defined } from "./defined.js";
import { PropError } from "./prop-error.js";
import type { PolicyPreset, SteadyhookProps, SystemDefaultSettings } from "./steadyhook-props.js";

/** Prefix of the context keys, so that they meet no other construct's. */
const prefix = "steadyhook:";

/** Reads the settings that {@link SteadyhookStack} takes from CDK context. Values from `-c` are text. */
export function contextSettings(
  node: Node,
): Pick<SteadyhookProps, "deliveryTimeout" | "maxQueueDelay" | "privateDestinations" | "defaults"> {
  const defaults: SystemDefaultSettings = defined({
    policyPreset: node.tryGetContext(`${prefix}policyPreset`) as PolicyPreset | undefined,
    maxAttempts: contextNumber(node, "maxAttempts"),
    connectTimeout: contextSeconds(node, "connectSeconds"),
    readTimeout: contextSeconds(node, "readSeconds"),
  });
  return defined({
    deliveryTimeout: contextSeconds(node, "deliverySeconds"),
    maxQueueDelay: contextSeconds(node, "maxQueueDelaySeconds"),
    privateDestinations: contextList(node, "privateDestinations"),
    defaults,
  });
}

/** Topic and address that context names, or `false`: an operator turns alarms on without changing the app. */
export function contextAlarms(scope: Construct): AlarmSettings | false {
  const topicArn = contextText(scope.node, "alarmTopicArn");
  const email = contextText(scope.node, "alarmEmail");
  if (topicArn === undefined && email === undefined) return false;
  const topic = topicArn === undefined ? undefined : Topic.fromTopicArn(scope, "AlarmTopic", topicArn);
  return defined({ topic, email });
}

/** Slack's incoming webhook, whose URL is the value of the secret that context names. */
export function contextAlerts(scope: Construct): AlertSettings | undefined {
  const secretArn = contextText(scope.node, "slackWebhookSecretArn");
  if (secretArn === undefined) return undefined;
  return { slackWebhookUrl: Secret.fromSecretCompleteArn(scope, "SlackWebhook", secretArn) };
}

function contextText(node: Node, key: string): string | undefined {
  return node.tryGetContext(`${prefix}${key}`) as string | undefined;
}

function contextSeconds(node: Node, key: string): Duration | undefined {
  const seconds = contextNumber(node, key);
  return seconds === undefined ? undefined : Duration.seconds(seconds);
}

/** Separated by commas on the command line; cdk.json may hold an array. */
function contextList(node: Node, key: string): readonly string[] | undefined {
  const value: unknown = node.tryGetContext(`${prefix}${key}`);
  if (value === undefined) return undefined;
  return (Array.isArray(value) ? value : String(value).split(",")).map((entry) => String(entry).trim());
}

function contextNumber(node: Node, key: string): number | undefined {
  const value: unknown = node.tryGetContext(`${prefix}${key}`);
  if (value === undefined) return undefined;
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number === "number" && Number.isFinite(number) && number >= 0) return number;
  throw new PropError(
    `context ${prefix}${key}`,
    `must be a number (got ${JSON.stringify(value)})`,
    `Pass -c ${prefix}${key}=NUMBER`,
  );
}
