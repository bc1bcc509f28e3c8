import type { ITopic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import type { AlarmSettings } from "./alarm-props.js";
import { AlarmTopic } from "./alarm-topic.js";
import { Alarms } from "./alarms.js";
import { Alerts } from "./alerts.js";
import { Dashboard } from "./dashboard.js";
import type { HttpApi } from "./http-api.js";
import type { Queues } from "./queues.js";
import type { FunctionContext, RelayFunction } from "./relay-function.js";
import { RelayMetrics } from "./relay-metrics.js";
import type { Storage } from "./storage.js";

export interface ObservabilityProps extends FunctionContext {
  readonly storage: Storage;
  readonly queues: Queues;
  readonly api: HttpApi;
  readonly functions: Readonly<Record<string, RelayFunction>>;
}

/** What an operator sees of a relay, and is told: dashboard, alarms, their topic, alerts. */
export class Observability extends Construct {
  readonly metrics: RelayMetrics;
  /** Where alarms go; undefined without alarms. */
  readonly topic: ITopic | undefined;
  readonly alarms: Alarms | undefined;
  /** Undefined without `alerts`. */
  readonly alerts: Alerts | undefined;

  constructor(scope: Construct, id: string, { storage, queues, api, functions, ...context }: ObservabilityProps) {
    super(scope, id);
    const { alarms, alerts, dashboard = true } = context.props;
    this.metrics = new RelayMetrics(context.relayName);
    const { metrics } = this;
    if (alarms !== false) {
      const topic = topicOf(this, alarms);
      this.topic = topic;
      this.alerts = alerts && new Alerts(this, "Alerts", { ...context, topic, alerts, storage });
      this.alarms = new Alarms(this, "Alarms", {
        topic,
        alarms,
        metrics,
        queues,
        api,
        functions: { ...functions, ...(this.alerts && { alert: this.alerts.function }) },
        alerts: this.alerts,
      });
    }
    if (dashboard) {
      new Dashboard(this, "Dashboard", { metrics, queues, api, functions, alarms: this.alarms?.all ?? [] });
    }
  }
}

function topicOf(scope: Construct, { topic, email }: AlarmSettings): ITopic {
  const used = topic ?? new AlarmTopic(scope, "AlarmTopic").topic;
  if (email !== undefined) used.addSubscription(new EmailSubscription(email));
  return used;
}
