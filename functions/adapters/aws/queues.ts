import {
  type BatchResultErrorEntry,
  ChangeMessageVisibilityCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { encodeDeadLetter, encodeMessage, encodeTick } from "../../app/messages.js";
import type {
  ControlInbox,
  ControlMessage,
  ControlQueue,
  DeadLetterMessage,
  DeadLetterQueue,
  DeliveryMessage,
  DeliveryQueue,
  EventMessage,
  EventQueue,
  FaultedMessage,
  FaultQueue,
  Lane,
} from "../../app/ports.js";
import type { Fault } from "../../core/model.js";

export interface QueueUrls {
  readonly delivery: string;
  /** Needed by those who use the lane `slow` only. */
  readonly slow?: string;
  /** Needed by {@link SqsQueues.sendDeadLetter} only: ingress has none. */
  readonly deadLetter?: string;
  /** Needed by whoever sends ticks or hands them back. */
  readonly control?: string;
  /** Needed by {@link SqsQueues.sendFault} only. */
  readonly fault?: string;
}

/** SQS's limit of a batch. Ten delivery messages are ids of a few hundred bytes each: far below its limit in bytes. */
const entriesPerBatch = 10;
/** Longest delay that SQS takes. */
const maxDelaySeconds = 900;
/** Longest visibility timeout that SQS takes: 12 hours. */
const maxVisibilitySeconds = 43_200;

/** The queues over SQS: fair standard queues, grouped by source (events) and by subscription (deliveries). */
export class SqsQueues implements EventQueue, DeliveryQueue, DeadLetterQueue, ControlQueue, ControlInbox, FaultQueue {
  constructor(
    private readonly client: SQSClient,
    private readonly urls: QueueUrls,
  ) {}

  async sendEvent(message: EventMessage): Promise<void> {
    await this.client.send(
      new SendMessageCommand({
        QueueUrl: this.urls.delivery,
        MessageBody: encodeMessage(message),
        MessageGroupId: message.event.sourceId,
      }),
    );
  }

  async sendDeliveries(messages: readonly DeliveryMessage[], delaySeconds: number, lane: Lane = "fast"): Promise<void> {
    const url = this.urlOf(lane);
    if (!Number.isInteger(delaySeconds) || delaySeconds < 0 || delaySeconds > maxDelaySeconds) {
      throw new RangeError(`SQS delays by 0 to ${maxDelaySeconds} whole seconds, not by ${delaySeconds}`);
    }
    const batches: SendMessageBatchRequestEntry[][] = [];
    for (let start = 0; start < messages.length; start += entriesPerBatch) {
      batches.push(
        messages.slice(start, start + entriesPerBatch).map((message, at) => entry(message, at, delaySeconds)),
      );
    }
    // Every batch gets its chance before the first rejection is passed on.
    const results = await Promise.allSettled(batches.map((batch) => this.sendBatch(url, batch)));
    const rejected = results.find((result) => result.status === "rejected");
    if (rejected !== undefined) throw rejected.reason;
  }

  returnAfter(receiptHandle: string, seconds: number, lane: Lane = "fast"): Promise<void> {
    return this.changeVisibility(this.urlOf(lane), receiptHandle, seconds);
  }

  async returnTick(receiptHandle: string, seconds: number): Promise<void> {
    if (this.urls.control === undefined) throw new Error("This function knows no control queue");
    await this.changeVisibility(this.urls.control, receiptHandle, seconds);
  }

  private async changeVisibility(url: string, receiptHandle: string, seconds: number): Promise<void> {
    await this.client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: url,
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: Math.min(Math.max(Math.ceil(seconds), 0), maxVisibilitySeconds),
      }),
    );
  }

  async sendDeadLetter(message: DeadLetterMessage): Promise<void> {
    if (this.urls.deadLetter === undefined) throw new Error("This function knows no dead-letter queue");
    await this.client.send(
      new SendMessageCommand({ QueueUrl: this.urls.deadLetter, MessageBody: encodeDeadLetter(message) }),
    );
  }

  async sendTick(message: ControlMessage, delaySeconds: number): Promise<void> {
    if (this.urls.control === undefined) throw new Error("This function knows no control queue");
    const body = encodeTick(message);
    await this.client.send(
      new SendMessageCommand({ QueueUrl: this.urls.control, MessageBody: body, DelaySeconds: delaySeconds }),
    );
  }

  async sendFault({ queue, messageId, cause, body }: FaultedMessage): Promise<void> {
    if (this.urls.fault === undefined) throw new Error("This function knows no fault queue");
    await this.client.send(
      new SendMessageCommand({
        QueueUrl: this.urls.fault,
        // Unchanged: what SQS itself moves to this queue looks the same.
        MessageBody: body,
        MessageAttributes: {
          queue: { DataType: "String", StringValue: queue },
          messageId: { DataType: "String", StringValue: messageId },
          cause: { DataType: "String", StringValue: attributeText(cause) },
        },
      }),
    );
  }

  /** Puts a faulted message back on its queue. */
  async sendBack(queue: Fault["queue"], body: string): Promise<void> {
    const url = queue === "control" ? this.urls.control : this.urls.delivery;
    if (url === undefined) throw new Error(`This function knows no ${queue} queue`);
    await this.client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: body }));
  }

  private urlOf(lane: Lane): string {
    const url = lane === "slow" ? this.urls.slow : this.urls.delivery;
    if (url === undefined) throw new Error("This function knows no slow lane");
    return url;
  }

  /** Sends one batch; entries that SQS refused are sent once more, since its answer is a 200 that the SDK believes. */
  private async sendBatch(url: string, batch: SendMessageBatchRequestEntry[]): Promise<void> {
    const refused = await this.refusedOf(url, batch);
    if (refused.length === 0) return;
    const refusedIds = new Set(refused.map((failure) => failure.Id));
    const refusedAgain = await this.refusedOf(
      url,
      batch.filter((entry) => refusedIds.has(entry.Id)),
    );
    if (refusedAgain.length === 0) return;
    const codes = [...new Set(refusedAgain.map((failure) => failure.Code ?? "unknown"))].join(", ");
    throw new Error(`SQS refused ${refusedAgain.length} of ${batch.length} messages: ${codes}`);
  }

  private async refusedOf(
    url: string,
    batch: SendMessageBatchRequestEntry[],
  ): Promise<readonly BatchResultErrorEntry[]> {
    const answer = await this.client.send(new SendMessageBatchCommand({ QueueUrl: url, Entries: batch }));
    return answer.Failed ?? [];
  }
}

/** Longest cause that travels with a message; the log has all of it. */
const attributeLength = 1_000;

/** SQS takes the XML characters only, and no empty text. */
function attributeText(text: string): string {
  const legal = text.slice(0, attributeLength).replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/g, " ");
  return legal === "" ? "unknown" : legal;
}

function entry(message: DeliveryMessage, position: number, delaySeconds: number): SendMessageBatchRequestEntry {
  return {
    Id: String(position),
    MessageBody: encodeMessage(message),
    MessageGroupId: message.subscriptionId,
    DelaySeconds: delaySeconds,
  };
}
