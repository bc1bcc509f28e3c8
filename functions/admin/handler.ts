import { randomBytes } from "node:crypto";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { TableAuditTrail } from "../adapters/aws/audit-table.js";
import { S3BodyDownloads } from "../adapters/aws/body-downloads.js";
import { dynamodb, kms, s3 } from "../adapters/aws/clients.js";
import { systemDefaults } from "../adapters/aws/config-defaults.js";
import { TableSourceStore } from "../adapters/aws/config-sources.js";
import { TableSubscriptionStore } from "../adapters/aws/config-subscriptions.js";
import { S3ContentErasure } from "../adapters/aws/content-erasure.js";
import { S3ContentStore } from "../adapters/aws/content-store.js";
import { DynamoDeliveryTable } from "../adapters/aws/delivery-table.js";
import { defaultProvider } from "../adapters/aws/environment-credentials.js";
import { DynamoEventTable } from "../adapters/aws/event-table.js";
import { DynamoFaultTable } from "../adapters/aws/fault-table.js";
import { TableDeliveryCounts } from "../adapters/aws/listing-counts.js";
import { TableEventList } from "../adapters/aws/listing-events.js";
import { TableFaultList } from "../adapters/aws/listing-faults.js";
import { TableDeliveryIndex } from "../adapters/aws/listing-index.js";
import { CloudWatchHistory } from "../adapters/aws/metrics-history.js";
import { TableQuarantinedEvents } from "../adapters/aws/quarantined-events.js";
import { SqsQueueDepths } from "../adapters/aws/queue-depths.js";
import { SqsQueues } from "../adapters/aws/queues.js";
import { DynamoReplayTable } from "../adapters/aws/replay-table.js";
import { sqs } from "../adapters/aws/sqs-client.js";
import { Vault } from "../adapters/aws/vault.js";
import { KmsDataKeys } from "../adapters/aws/vault-kms.js";
import type { AdminContext } from "../app/admin/context.js";
import type { SnsService } from "../app/ports.js";
import { env } from "../shared/env.js";
import { log } from "../shared/log.js";
import { list, required, wholeNumber } from "../shared/read-env.js";
import type { HttpAnswer } from "./answer.js";
import { route } from "./router.js";

let services: AdminContext | undefined;
let sns: SnsService | undefined;

/** Called by AWS, once per HTTP request under `/admin`. */
export async function handler(event: APIGatewayProxyEventV2): Promise<HttpAnswer> {
  services ??= buildServices();
  return route(services, log, event);
}

/** On the first request only: a test may load this file without an environment. */
function buildServices(): AdminContext {
  const now = Date.now;
  const retentionDays = wholeNumber(env.retentionDays, 30);
  const table = {
    client: dynamodb,
    tableName: required(env.tableName),
    vault: new Vault(new KmsDataKeys(kms, required(env.keyId))),
    now,
  };
  const bucketName = required(env.bucketName);
  const contents = new S3ContentStore(s3, bucketName);
  const sender = new SqsQueues(sqs(), {
    delivery: required(env.deliveryQueueUrl),
    control: required(env.controlQueueUrl),
  });
  return {
    sources: new TableSourceStore(table),
    subscriptions: new TableSubscriptionStore(table, retentionDays),
    deliveries: new DynamoDeliveryTable(table, { now, retentionDays }),
    deliveryIndex: new TableDeliveryIndex(table),
    deliveryCounts: new TableDeliveryCounts(table),
    events: new DynamoEventTable(table, { now, retentionDays }),
    eventList: new TableEventList(table, now),
    quarantine: new TableQuarantinedEvents(table),
    eventQueue: sender,
    sns: async () => {
      sns ??= (await import("../adapters/http/sns-service.js")).snsService(now);
      return sns;
    },
    history: new CloudWatchHistory({
      relayName: process.env[env.relayName] ?? "Steadyhook",
      region: () => required("AWS_REGION"),
      endpoint: process.env["AWS_ENDPOINT_URL_CLOUDWATCH"] ?? process.env["AWS_ENDPOINT_URL"],
      credentials: defaultProvider(),
      now,
    }),
    queues: new SqsQueueDepths(sqs, {
      delivery: required(env.deliveryQueueUrl),
      slowLane: required(env.slowQueueUrl),
      control: required(env.controlQueueUrl),
      deadLetter: required(env.deadLetterQueueUrl),
      fault: required(env.faultQueueUrl),
    }),
    contents,
    contentErasure: new S3ContentErasure(s3, bucketName),
    replays: new DynamoReplayTable(table),
    audit: new TableAuditTrail(table, now),
    queue: sender,
    control: sender,
    faults: new DynamoFaultTable(table, contents, retentionDays),
    faultList: new TableFaultList(table),
    sendBack: (queue, body) => sender.sendBack(queue, body),
    downloads: new S3BodyDownloads(s3, bucketName, now),
    now,
    entropy: randomBytes,
    retentionDays,
    defaults: systemDefaults(),
    deliveryTimeoutSeconds: wholeNumber(env.deliveryTimeoutSeconds, 90),
    allowLoopback: process.env[env.allowLoopback] === "true",
    privateCidrs: list(env.privateCidrs),
  };
}
