import { randomBytes } from "node:crypto";
import { dynamodb, kms, s3 } from "../adapters/aws/clients.js";
import { CachedSourceConfigs } from "../adapters/aws/config-table.js";
import { S3ContentStore } from "../adapters/aws/content-store.js";
import { SqsQueues } from "../adapters/aws/queues.js";
import { sqs } from "../adapters/aws/sqs-client.js";
import { Vault } from "../adapters/aws/vault.js";
import { KmsDataKeys } from "../adapters/aws/vault-kms.js";
import type { QuarantineStore, SnsService } from "../app/ports.js";
import { env } from "../shared/env.js";
import { log } from "../shared/log.js";
import { InvocationMetrics } from "../shared/metrics.js";
import { required } from "../shared/read-env.js";
import type { HttpAnswer } from "./answers.js";
import { buildIngress, type Ingress } from "./ingress.js";

let ingress: Ingress | undefined;
const metrics = new InvocationMetrics();
let sns: SnsService | undefined;
let quarantine: QuarantineStore | undefined;

/** Called by AWS, once per HTTP request: `/in/{sourceId}`, its suffixes, and `/publish/{sourceId}`. */
export const handler = async (event: unknown): Promise<HttpAnswer> => {
  ingress ??= buildFromEnvironment();
  const answer = await ingress(event);
  metrics.flush(Date.now());
  return answer;
};

/** Runs on the first request only, so that importing this file needs no environment. */
function buildFromEnvironment(): Ingress {
  const vault = new Vault(new KmsDataKeys(kms, required(env.keyId)));
  const table = { client: dynamodb, tableName: required(env.tableName) };
  return buildIngress({
    sources: new CachedSourceConfigs({ ...table, vault, now: Date.now }),
    queue: new SqsQueues(sqs(), { delivery: required(env.deliveryQueueUrl) }),
    contents: new S3ContentStore(s3, required(env.bucketName)),
    // What few requests need is loaded by the first of them.
    sns: async () => {
      sns ??= (await import("../adapters/http/sns-service.js")).snsService(Date.now);
      return sns;
    },
    quarantine: async () => {
      const { TableQuarantine } = await import("../adapters/aws/quarantine-table.js");
      quarantine ??= new TableQuarantine(table, vault);
      return quarantine;
    },
    clock: Date.now,
    entropy: () => randomBytes(16),
    log,
    metrics,
  });
}
