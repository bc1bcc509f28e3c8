import { AwsError } from "../aws-error.js";
import { type JsonObject, objectList, optionalInteger, requiredString, stringList } from "../json-input.js";
import { inBatch } from "./batch.js";
import { md5Of, md5OfAttributes } from "./digests.js";
import type { MessageAttributes, ReceivedMessage } from "./message.js";
import { maximumRequestBytes, type Outgoing, outgoingBytes, readOutgoing } from "./message-rules.js";
import type { Queue } from "./queue.js";
import { queueOf, ranged, type SqsOperation } from "./request.js";
import type { Sqs } from "./sqs.js";

/** Operations on messages. */
export const messageOperations: Readonly<Record<string, SqsOperation>> = {
  async SendMessage({ sqs, input }) {
    const queue = queueOf({ sqs, input });
    const message = readOutgoing(input, queue.settings.maximumMessageBytes);
    const [messageId] = await sqs.send(queue.name, [message]);
    return sentResult(messageId as string, message);
  },
  async SendMessageBatch({ sqs, input }) {
    const queue = queueOf({ sqs, input });
    checkBatchBytes(objectList(input, "Entries"));
    const accepted: { readonly id: string; readonly message: Outgoing }[] = [];
    const answer = await inBatch(input, (entry) => {
      accepted.push({
        id: requiredString(entry, "Id"),
        message: readOutgoing(entry, queue.settings.maximumMessageBytes),
      });
      return {};
    });
    const ids = await sqs.send(
      queue.name,
      accepted.map(({ message }) => message),
    );
    const Successful = accepted.map(({ id, message }, index) => ({
      Id: id,
      ...sentResult(ids[index] as string, message),
    }));
    return { ...answer, Successful };
  },
  async ReceiveMessage({ sqs, input, signal }) {
    const queue = queueOf({ sqs, input });
    const messages = await sqs.receive(queue.name, {
      max: ranged(input, "MaxNumberOfMessages", 1, 10) ?? 1,
      visibilityTimeoutSeconds: ranged(input, "VisibilityTimeout", 0, 43_200),
      waitSeconds: ranged(input, "WaitTimeSeconds", 0, 20),
      signal,
    });
    return messages.length === 0 ? {} : { Messages: messages.map((message) => receivedResult(message, input)) };
  },
  async DeleteMessage({ sqs, input }) {
    await sqs.delete(queueOf({ sqs, input }).name, requiredString(input, "ReceiptHandle"));
    return {};
  },
  DeleteMessageBatch({ sqs, input }) {
    const queue = queueOf({ sqs, input });
    return inBatch(input, (entry) => sqs.delete(queue.name, requiredString(entry, "ReceiptHandle")));
  },
  ChangeMessageVisibility({ sqs, input }) {
    changeVisibility(sqs, queueOf({ sqs, input }), input);
    return {};
  },
  ChangeMessageVisibilityBatch({ sqs, input }) {
    const queue = queueOf({ sqs, input });
    return inBatch(input, (entry) => changeVisibility(sqs, queue, entry));
  },
};

/** The limit is one for all entries together, refused ones included. */
function checkBatchBytes(entries: readonly JsonObject[]): void {
  const bytes = entries.reduce((sum, entry) => sum + outgoingBytes(entry), 0);
  if (bytes <= maximumRequestBytes) return;
  throw new AwsError(
    "BatchRequestTooLong",
    `Batch requests cannot be longer than ${maximumRequestBytes} bytes. You have sent ${bytes} bytes.`,
    { queryCode: "AWS.SimpleQueueService.BatchRequestTooLong" },
  );
}

function changeVisibility(sqs: Sqs, queue: Queue, input: JsonObject): void {
  const seconds = optionalInteger(input, "VisibilityTimeout");
  if (seconds === undefined) {
    throw new AwsError("MissingParameter", "The request must contain the parameter VisibilityTimeout.");
  }
  sqs.changeVisibility(queue.name, requiredString(input, "ReceiptHandle"), seconds);
}

function sentResult(messageId: string, { content }: Outgoing): object {
  const trace = content.traceHeader;
  return {
    MessageId: messageId,
    MD5OfMessageBody: md5Of(content.body),
    MD5OfMessageAttributes: md5OfAttributes(content.attributes) ?? undefined,
    MD5OfMessageSystemAttributes:
      trace === null ? undefined : md5OfAttributes({ AWSTraceHeader: { DataType: "String", StringValue: trace } }),
  };
}

function receivedResult(message: ReceivedMessage, input: JsonObject): object {
  const systemNames = [...stringList(input, "MessageSystemAttributeNames"), ...stringList(input, "AttributeNames")];
  const wanted = Object.entries(message.attributes).filter(
    ([name]) => systemNames.includes("All") || systemNames.includes(name),
  );
  const attributes = selectAttributes(message.messageAttributes, stringList(input, "MessageAttributeNames"));
  return {
    MessageId: message.messageId,
    ReceiptHandle: message.receiptHandle,
    Body: message.body,
    MD5OfBody: message.md5OfBody,
    Attributes: wanted.length > 0 ? Object.fromEntries(wanted) : undefined,
    MessageAttributes: Object.keys(attributes).length > 0 ? attributes : undefined,
    MD5OfMessageAttributes: md5OfAttributes(attributes) ?? undefined,
  };
}

/** `All`, `.*`, an exact name, or `prefix.*`. */
function selectAttributes(attributes: MessageAttributes, names: readonly string[]): MessageAttributes {
  const matches = (attribute: string, name: string): boolean =>
    name === "All" || name === attribute || (name.endsWith(".*") && attribute.startsWith(name.slice(0, -2)));
  const selected = Object.entries(attributes).filter(([attribute]) => names.some((name) => matches(attribute, name)));
  return Object.fromEntries(selected);
}
