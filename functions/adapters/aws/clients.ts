import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { KMSClient } from "@aws-sdk/client-kms";
import type { S3Client } from "@aws-sdk/client-s3";
import type { SchedulerClient } from "@aws-sdk/client-scheduler";

/**
 * One client of each service per environment, made on first use (SQS's is in sqs-client.ts). What few invocations need
 * (Scheduler, S3, KMS) is loaded on first use too, and what a function never uses is no part of its bundle: that is what `@__PURE__` allows.
 * Region, credentials and `AWS_ENDPOINT_URL` come from the environment.
 */

const retries = { retryMode: "standard", maxAttempts: 3 } as const;

/** Calls of a few kilobytes within one region: one that takes longer than this is better tried again. */
export const clientSettings = {
  ...retries,
  // Without it the SDK puts its dozen middlewares into order for each call, a fifth of a call's CPU: nobody changes them.
  cacheMiddleware: true,
  requestHandler: {
    connectionTimeout: 1_500,
    requestTimeout: 5_000,
    throwOnRequestTimeout: true,
    httpAgent: { keepAlive: true, maxSockets: 64 },
    httpsAgent: { keepAlive: true, maxSockets: 64 },
  },
} as const;

/** Bodies of up to 6 MB need more time than {@link clientSettings} gives. */
const bucketSettings = {
  ...retries,
  requestHandler: { ...clientSettings.requestHandler, requestTimeout: 10_000, socketTimeout: 5_000 },
} as const;

export const dynamodb = /* @__PURE__ */ once(() => new DynamoDBClient(clientSettings));

export const scheduler = /* @__PURE__ */ once(async (): Promise<SchedulerClient> => {
  const { SchedulerClient } = await import("./scheduler.js");
  return new SchedulerClient(clientSettings);
});

export const s3 = /* @__PURE__ */ once(async (): Promise<S3Client> => {
  const { S3Client } = await import("./s3.js");
  // An emulator answers at one host name, not at one per bucket.
  const endpoint = process.env["AWS_ENDPOINT_URL_S3"] ?? process.env["AWS_ENDPOINT_URL"];
  return new S3Client({ ...bucketSettings, forcePathStyle: endpoint !== undefined });
});

export const kms = /* @__PURE__ */ once(async (): Promise<KMSClient> => {
  const { KMSClient } = await import("./kms.js");
  return new KMSClient(clientSettings);
});

export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
