import { SQSClient } from "@aws-sdk/client-sqs";
import { clientSettings, once } from "./clients.js";

/**
 * As the {@link dynamodb} one; in a file of its own, since the delivery function loads it with its first message. A queue's
 * URL names the queue, not the endpoint: that one comes from the region or `AWS_ENDPOINT_URL`.
 */
export const sqs = /* @__PURE__ */ once(() => new SQSClient({ ...clientSettings, useQueueUrlAsEndpoint: false }));
