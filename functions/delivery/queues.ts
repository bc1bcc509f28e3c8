import { type QueueUrls, SqsQueues } from "../adapters/aws/queues.js";
import { sqs } from "../adapters/aws/sqs-client.js";

/** What {@link LazyQueues} loads. */
export const queuesAt = (urls: QueueUrls): SqsQueues => new SqsQueues(sqs(), urls);
