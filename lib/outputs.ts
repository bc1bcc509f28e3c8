import { CfnOutput } from "aws-cdk-lib";
import { Construct } from "constructs";
import type { HttpApi } from "./http-api.js";
import type { Queues } from "./queues.js";
import type { Storage } from "./storage.js";

export interface OutputsProps {
  readonly api: HttpApi;
  readonly storage: Storage;
  readonly queues: Queues;
  readonly publicUrl: string | undefined;
}

/**
 * What an operator or the CLI needs to find a relay. Logical ids inside a construct get a hash, so each output is
 * found by its description, which starts with `Steadyhook <name> (<path of the relay>): `.
 */
export class Outputs extends Construct {
  /** By name, e.g. `IngressUrl`. */
  readonly all: ReadonlyMap<string, CfnOutput>;

  constructor(scope: Construct, id: string, { api, storage, queues, publicUrl }: OutputsProps) {
    super(scope, id);
    const ingressUrl = publicUrl?.replace(/\/+$/, "") ?? api.url;
    const all = new Map<string, CfnOutput>();
    const output = (name: string, meaning: string, value: string) => {
      const description = `Steadyhook ${name} (${scope.node.path}): ${meaning}`;
      all.set(name, new CfnOutput(this, name, { value, description }));
    };

    output("IngressUrl", "providers send to this URL followed by /{sourceId}", `${ingressUrl}/in`);
    output("PublishUrl", "services publish to this URL followed by /{sourceId}, signed with IAM", `${api.url}/publish`);
    output("AdminUrl", "base URL of the admin API, signed with IAM", `${api.url}/admin`);
    output("TableName", "table of sources, subscriptions, events and deliveries", storage.table.tableName);
    output("BucketName", "bucket of large bodies", storage.bucket.bucketName);
    output("DeliveryQueueUrl", "queue of what is due", queues.delivery.queueUrl);
    output("DeadLetterQueueUrl", "queue of deliveries that get no further attempt", queues.deadLetter.queueUrl);
    output("FaultQueueUrl", "queue of messages that could not be processed", queues.fault.queueUrl);
    if (api.domain) {
      output("DomainTarget", "point the custom domain here (CNAME or alias)", api.domain.name.regionalDomainName);
    }
    this.all = all;
  }
}
