import { type JsonObject, optionalString, requiredString, stringList, stringMap } from "../json-input.js";
import type { Queue } from "./queue.js";
import { queueOf, ranged, type SqsOperation } from "./request.js";
import type { Sqs } from "./sqs.js";

/** Operations on queues. */
export const queueOperations: Readonly<Record<string, SqsOperation>> = {
  async CreateQueue({ sqs, input, ...request }) {
    const queue = await sqs.createQueue(
      requiredString(input, "QueueName"),
      stringMap(input, "Attributes"),
      stringMap(input, "tags"),
    );
    return { QueueUrl: urlOf(queue.name, request) };
  },
  GetQueueUrl: ({ sqs, input, ...request }) => ({
    QueueUrl: urlOf(sqs.queue(requiredString(input, "QueueName")).name, request),
  }),
  ListQueues({ sqs, input, ...request }) {
    const prefix = optionalString(input, "QueueNamePrefix") ?? "";
    const names = sqs.list().map((queue) => queue.name);
    const page = pageOf(
      names.filter((name) => name.startsWith(prefix)),
      input,
    );
    return { QueueUrls: page.names.map((name) => urlOf(name, request)), NextToken: page.nextToken };
  },
  ListDeadLetterSourceQueues({ sqs, input, ...request }) {
    const arn = sqs.arnOf(queueOf({ sqs, input }).name);
    const sources = sqs.list().filter((queue) => queue.settings.redrivePolicy?.deadLetterTargetArn === arn);
    const page = pageOf(
      sources.map((queue) => queue.name),
      input,
    );
    return { queueUrls: page.names.map((name) => urlOf(name, request)), NextToken: page.nextToken };
  },
  GetQueueAttributes({ sqs, input }) {
    const names = new Set(stringList(input, "AttributeNames"));
    const all = Object.entries(attributesOf(sqs, queueOf({ sqs, input })));
    return { Attributes: Object.fromEntries(all.filter(([name]) => names.has("All") || names.has(name))) };
  },
  async SetQueueAttributes({ sqs, input }) {
    await sqs.setAttributes(queueOf({ sqs, input }).name, stringMap(input, "Attributes"));
    return {};
  },
  async DeleteQueue({ sqs, input }) {
    await sqs.deleteQueue(queueOf({ sqs, input }).name);
    return {};
  },
  async PurgeQueue({ sqs, input }) {
    await sqs.purge(queueOf({ sqs, input }).name);
    return {};
  },
  ListQueueTags: ({ sqs, input }) => ({ Tags: queueOf({ sqs, input }).definition.tags }),
  async TagQueue({ sqs, input }) {
    const queue = queueOf({ sqs, input });
    await sqs.setTags(queue.name, { ...queue.definition.tags, ...stringMap(input, "Tags") });
    return {};
  },
  async UntagQueue({ sqs, input }) {
    const queue = queueOf({ sqs, input });
    const removed = new Set(stringList(input, "TagKeys"));
    const kept = Object.entries(queue.definition.tags).filter(([name]) => !removed.has(name));
    await sqs.setTags(queue.name, Object.fromEntries(kept));
    return {};
  },
  StartMessageMoveTask: ({ moveTasks, input }) => ({
    TaskHandle: moveTasks.start(
      requiredString(input, "SourceArn"),
      optionalString(input, "DestinationArn") ?? null,
      ranged(input, "MaxNumberOfMessagesPerSecond", 1, 500) ?? null,
    ),
  }),
  ListMessageMoveTasks: ({ moveTasks, input }) => ({
    Results: moveTasks.list(requiredString(input, "SourceArn"), ranged(input, "MaxResults", 1, 10) ?? 1),
  }),
  CancelMessageMoveTask: ({ moveTasks, input }) => ({
    ApproximateNumberOfMessagesMoved: moveTasks.cancel(requiredString(input, "TaskHandle")),
  }),
};

const urlOf = (name: string, request: { readonly baseUrl: string; readonly accountId: string }): string =>
  `${request.baseUrl}/${request.accountId}/${name}`;

function pageOf(names: readonly string[], input: JsonObject): { names: string[]; nextToken: string | undefined } {
  const size = ranged(input, "MaxResults", 1, 1000) ?? 1000;
  const after = Buffer.from(optionalString(input, "NextToken") ?? "", "base64url").toString();
  const rest = names.filter((name) => name > after);
  const page = rest.slice(0, size);
  const last = rest.length > size ? page.at(-1) : undefined;
  return { names: page, nextToken: last === undefined ? undefined : Buffer.from(last).toString("base64url") };
}

function attributesOf(sqs: Sqs, queue: Queue): Record<string, string> {
  const { visible, inFlight, delayed } = queue.counts();
  return {
    ...queue.settings.all(),
    QueueArn: sqs.arnOf(queue.name),
    CreatedTimestamp: String(Math.floor(queue.definition.createdAtMs / 1000)),
    LastModifiedTimestamp: String(Math.floor(queue.definition.modifiedAtMs / 1000)),
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ApproximateNumberOfMessagesDelayed: String(delayed),
  };
}
