import { Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { contextAlarms, contextSettings } from "./context-settings.js";
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
 * | `steadyhook:alarmTopicArn` | `alarms`, where the prop is `false` |
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
    this.relay = new Steadyhook(this, "Steadyhook", {
      ...context,
      ...props,
      alarms: props.alarms === false ? contextAlarms(this) : props.alarms,
      defaults: { ...context.defaults, ...props.defaults },
    });
    for (const [name, output] of this.relay.outputs) output.overrideLogicalId(name);
  }
}
