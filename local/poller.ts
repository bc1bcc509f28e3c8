import { setTimeout as wait } from "node:timers/promises";
import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { type BatchVerdict, batchVerdict } from "./batch-verdict.js";
import type { InvocationResult } from "./function-worker.js";
import { region } from "./local-account.js";

/** One event source mapping, resolved. */
export interface PollerOptions {
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  readonly queueArn: string;
  readonly batchSize: number;
  /** Most batches in work at the same time. */
  readonly maxConcurrency: number;
  readonly reportsItemFailures: boolean;
  readonly invoke: (event: unknown) => Promise<InvocationResult>;
  readonly onProblem: (text: string) => void;
}

/** A batch is closed before the invocation would exceed Lambda's 6 MB. */
const maxBatchBytes = 5 * 1024 * 1024;

/** Pause after a failed call, so that a broken queue does not spin; never taken when all is well. */
const errorPauseMs = 500;

/** Feeds a queue to a function as Lambda's event source mapping does. */
export class Poller {
  readonly #options: PollerOptions;
  readonly #stop = new AbortController();
  readonly #batches = new Set<Promise<void>>();
  #loop: Promise<void> = Promise.resolve();

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#loop = this.#poll();
  }

  /** Receives nothing more, and resolves when the batches in work are answered. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
    await Promise.all(this.#batches);
  }

  async #poll(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const messages = await this.#receive();
      for (const batch of splitBySize(messages)) {
        const work = this.#process(batch).finally(() => this.#batches.delete(work));
        this.#batches.add(work);
      }
      while (this.#batches.size >= this.#options.maxConcurrency) await Promise.race(this.#batches);
    }
  }

  async #receive(): Promise<Message[]> {
    const { sqs, queueUrl, batchSize, onProblem } = this.#options;
    const command = new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: Math.min(batchSize, 10),
      WaitTimeSeconds: 20,
      MessageSystemAttributeNames: ["All"],
      MessageAttributeNames: ["All"],
    });
    try {
      return (await sqs.send(command, { abortSignal: this.#stop.signal })).Messages ?? [];
    } catch (error) {
      // The mapping outlives any failure of its queue.
      if (this.#stop.signal.aborted) return [];
      onProblem(`receiving from ${queueUrl} failed: ${String(error)}`);
      await wait(errorPauseMs);
      return [];
    }
  }

  async #process(messages: readonly Message[]): Promise<void> {
    const { invoke, queueArn, reportsItemFailures, onProblem } = this.#options;
    const result = await invoke({ Records: messages.map((message) => sqsRecord(message, queueArn)) });
    const ids = messages.map((message) => message.MessageId ?? "");
    const verdict = batchVerdict(result, ids, reportsItemFailures);
    if (verdict.problem !== null) onProblem(verdict.problem);
    await this.#delete(messages, verdict);
  }

  async #delete(messages: readonly Message[], { failedIds }: BatchVerdict): Promise<void> {
    const { sqs, queueUrl, onProblem } = this.#options;
    const done = messages.filter((message) => !failedIds.has(message.MessageId ?? ""));
    if (done.length === 0) return;
    const Entries = done.map((message, index) => ({ Id: String(index), ReceiptHandle: message.ReceiptHandle }));
    try {
      const { Failed = [] } = await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
      for (const entry of Failed) onProblem(`deleting a message failed: ${entry.Message ?? entry.Code}`);
    } catch (error) {
      // What is not deleted comes again after its visibility timeout: the function expects that.
      onProblem(`deleting ${done.length} messages failed: ${String(error)}`);
    }
  }
}

/** A message as the function sees it. */
export function sqsRecord(message: Message, queueArn: string): Record<string, unknown> {
  const attributes = Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [
    name,
    {
      ...(value.StringValue === undefined ? {} : { stringValue: value.StringValue }),
      ...(value.BinaryValue === undefined ? {} : { binaryValue: Buffer.from(value.BinaryValue).toString("base64") }),
      stringListValues: [],
      binaryListValues: [],
      dataType: value.DataType,
    },
  ]);
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes ?? {},
    messageAttributes: Object.fromEntries(attributes),
    md5OfBody: message.MD5OfBody,
    eventSource: "aws:sqs",
    eventSourceARN: queueArn,
    awsRegion: region,
  };
}

function splitBySize(messages: readonly Message[]): Message[][] {
  const batches: Message[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const message of messages) {
    const size = Buffer.byteLength(JSON.stringify(message.Body ?? ""));
    if (bytes + size > maxBatchBytes) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(message);
    bytes += size;
  }
  return batches;
}
