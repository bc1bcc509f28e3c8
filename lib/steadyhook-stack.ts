import { Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { contextAlarms, contextAlerts, contextSettings } from "./context-settings.js";
import { defined } from "./defined.js";
import { Steadyhook } from "./steadyhook.js";
import type { SteadyhookProps } from "./steadyhook-props.js";

export interface SteadyhookStackProps extends StackProps, SteadyhookProps {}

/**
 * A stack with one relay, whose outputs have plain names (`IngressUrl`, `AdminUrl`, …).
 *
 * What the props leave open is taken from CDK context, e.g. `cdk deploy -c steadyhook:maxAttempts=8`:
 *
 * | context key | prop |
 * |---|---|
 * | `steadyhook:alarmTopicArn` | `alarms.topic`, where `alarms` is `false` |
 * | `steadyhook:alarmEmail` | `alarms.email`, where `alarms` is `false` |
 * | `steadyhook:slackWebhookSecretArn` | `alerts.slackWebhookUrl`: full ARN of the secret |
 * | `steadyhook:policyPreset` | `defaults.policyPreset` |
 * | `steadyhook:maxAttempts` | `defaults.maxAttempts` |
 * | `steadyhook:connectSeconds` | `defaults.connectTimeout` |
 * | `steadyhook:readSeconds` | `defaults.readTimeout` |
 * | `steadyhook:deliverySeconds` | `deliveryTimeout` |
 * | `steadyhook:maxQueueDelaySeconds` | `maxQueueDelay` |
 * | `steadyhook:privateDestinations` | `privateDestinations`, separated by commas |
 */
export class SteadyhookStack extends Stack {
  readonly relay: Steadyhook;

  constructor(scope: Construct, id: string, props: SteadyhookStackProps) {
    super(scope, id, { description: "Steadyhook: webhook relay", ...props });
    const context = contextSettings(this.node);
    const alerts = props.alerts ?? contextAlerts(this);
    this.relay = new Steadyhook(this, "Steadyhook", {
      ...context,
      ...props,
      ...defined({ alerts }),
      alarms: props.alarms === false ? contextAlarms(this) : props.alarms,
      defaults: { ...context.defaults, ...props.defaults },
    });
    for (const [name, output] of this.relay.outputs) output.overrideLogicalId(name);
  }
}
