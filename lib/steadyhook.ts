import type { CfnOutput } from "aws-cdk-lib";
import type { Grant, IGrantable } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { grantCalls } from "./access.js";
import { calls, publishCalls } from "./access-calls.js";
import { Admin } from "./admin.js";
import { Delivery } from "./delivery.js";
import { HttpApi } from "./http-api.js";
import { Ingress } from "./ingress.js";
import { Observability } from "./observability.js";
import { Outputs } from "./outputs.js";
import { Queues } from "./queues.js";
import { relayNameOf } from "./relay-name.js";
import { Scheduling } from "./scheduling.js";
import { resolveSettings } from "./settings.js";
import type { SteadyhookProps } from "./steadyhook-props.js";
import { Storage } from "./storage.js";
import { Sweeper, sweeperTimeout } from "./sweeper.js";

/**
 * A webhook relay: receives events over HTTP, keeps them, delivers each to its subscriptions, retries, dead-letters.
 * Several fit one stack; nothing has a physical name.
 *
 * @example
 * const relay = new Steadyhook(this, "Relay", { alarms: { topic } });
 * relay.grantPublish(orderService);
 */
export class Steadyhook extends Construct {
  /** Table, bucket and key: what must not be lost. */
  readonly storage: Storage;
  /** Delivery, slow lane, control, dead-letter and fault queue. */
  readonly queues: Queues;
  readonly scheduling: Scheduling;
  readonly ingress: Ingress;
  readonly delivery: Delivery;
  readonly admin: Admin;
  readonly sweeper: Sweeper;
  readonly httpApi: HttpApi;
  readonly observability: Observability;
  /** The outputs by name (`IngressUrl`, `AdminUrl`, `TableName`, …); each is also found by its description. */
  readonly outputs: ReadonlyMap<string, CfnOutput>;

  constructor(scope: Construct, id: string, props: SteadyhookProps) {
    super(scope, id);
    const settings = resolveSettings(props);
    const context = { props, settings, relayName: relayNameOf(this) };

    this.storage = new Storage(this, "Storage", { settings, encryptionKey: props.encryptionKey });
    this.queues = new Queues(this, "Queues", { consumerTimeout: settings.deliveryTimeout, sweeperTimeout });
    const { storage, queues } = this;

    this.scheduling = new Scheduling(this, "Scheduling", { target: queues.delivery });
    this.ingress = new Ingress(this, "Ingress", { ...context, storage, queues });
    const { scheduling } = this;
    this.delivery = new Delivery(this, "Delivery", { ...context, storage, queues, scheduling });
    this.sweeper = new Sweeper(this, "Sweeper", { ...context, storage, queues, scheduling });
    this.admin = new Admin(this, "Admin", { ...context, storage, queues });
    this.httpApi = new HttpApi(this, "HttpApi", {
      ...context,
      ingress: this.ingress.function,
      admin: this.admin.function,
    });
    this.observability = new Observability(this, "Observability", {
      ...context,
      storage,
      queues,
      api: this.httpApi,
      functions: {
        ingress: this.ingress.function,
        delivery: this.delivery.function,
        admin: this.admin.function,
        sweeper: this.sweeper.function,
      },
    });
    this.outputs = new Outputs(this, "Outputs", {
      api: this.httpApi,
      storage,
      queues,
      publicUrl: props.publicUrl,
    }).all;
  }

  /**
   * Allows `grantee` to publish events.
   *
   * @param sourceId the only source that it may publish to; default: every source
   */
  grantPublish(grantee: IGrantable, sourceId = "*"): Grant {
    return grantCalls(this.httpApi.api, grantee, publishCalls(sourceId));
  }

  /** Allows `grantee` to look: every GET of the admin API, bodies of events included, and previews of policies. */
  grantRead(grantee: IGrantable): Grant {
    return grantCalls(this.httpApi.api, grantee, calls.read);
  }

  /** Allows `grantee` to look, and to replay, cancel, pause, resume and redrive; not to change what is configured. */
  grantOperate(grantee: IGrantable): Grant {
    return grantCalls(this.httpApi.api, grantee, calls.operate);
  }

  /** Allows `grantee` everything that the admin API offers. */
  grantAdmin(grantee: IGrantable): Grant {
    return grantCalls(this.httpApi.api, grantee, calls.admin);
  }
}
