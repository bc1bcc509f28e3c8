import { availableParallelism } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import type { ReceivedMessage } from "./aws/sqs/message.js";
import type { Sqs } from "./aws/sqs/sqs.js";
import { type BatchVerdict, batchVerdict } from "./batch-verdict.js";
import type { InvocationResult } from "./function-worker.js";
import { region } from "./local-account.js";
import { standstillBefore } from "./standstill.js";

/** One event source mapping, resolved. */
export interface PollerOptions {
  /** Spoken to within the process: HTTP to ourselves, twice a batch, would cost more than all the rest. */
  readonly sqs: Pick<Sqs, "receive" | "delete" | "lookAgain">;
  readonly queueName: string;
  readonly queueArn: string;
  readonly batchSize: number;
  /** Most batches in work at the same time. */
  readonly maxConcurrency: number;
  readonly reportsItemFailures: boolean;
  readonly invoke: (event: unknown) => Promise<InvocationResult>;
  /** See {@link standstillBefore}. */
  readonly activeMs: () => number;
  readonly onProblem: (text: string) => void;
}

/** A batch is closed before the invocation would exceed Lambda's 6 MB. */
const maxBatchBytes = 5 * 1024 * 1024;

/** Pause after a failed call, so that a broken queue does not spin; never taken when all is well. */
const errorPauseMs = 500;

/**
 * One core is for the engine and for what receives events. With a batch in work for each of the others the next one
 * waits for the first of them to end, and fills up: ten messages in one invocation cost less than ten invocations, and
 * each environment more costs memory and warming up. Unless all of them wait for destinations.
 */
const busyBatches = Math.max(1, availableParallelism() - 1);

/**
 * Batches in work that may hold messages of one group, as a part of all. AWS has many times more slots than one machine,
 * so that a burst at a destination that hangs does not take all of them before anybody knows; here it would.
 */
const mostOfGroup = 1 / 4;

/** Feeds a queue to a function as Lambda's event source mapping does. */
export class Poller {
  readonly #options: PollerOptions;
  readonly #stop = new AbortController();
  readonly #batches = new Set<Promise<void>>();
  /** How many batches in work hold messages of a group. */
  readonly #groups = new Map<string, number>();
  readonly #mostOfGroup: number;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: PollerOptions) {
    this.#options = options;
    this.#mostOfGroup = Math.max(1, Math.floor(options.maxConcurrency * mostOfGroup));
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
    const { activeMs, maxConcurrency } = this.#options;
    while (!this.#stop.signal.aborted) {
      const messages = await this.#receive();
      for (const batch of splitBySize(messages)) {
        const work = this.#process(batch).finally(() => this.#end(work, batch));
        this.#batches.add(work);
        this.#count(batch, 1);
      }
      if (this.#batches.size >= busyBatches) await standstillBefore(Promise.race(this.#batches), activeMs);
      while (this.#batches.size >= maxConcurrency) await Promise.race(this.#batches);
    }
  }

  #end(work: Promise<void>, batch: readonly ReceivedMessage[]): void {
    this.#batches.delete(work);
    this.#count(batch, -1);
    if (!this.#stop.signal.aborted) this.#options.sqs.lookAgain(this.#options.queueName);
  }

  #count(batch: readonly ReceivedMessage[], by: 1 | -1): void {
    for (const group of new Set(batch.flatMap(({ attributes }) => attributes["MessageGroupId"] ?? []))) {
      const count = (this.#groups.get(group) ?? 0) + by;
      if (count > 0) this.#groups.set(group, count);
      else this.#groups.delete(group);
    }
  }

  async #receive(): Promise<ReceivedMessage[]> {
    const { sqs, queueName, batchSize, onProblem } = this.#options;
    const passesOver = (group: string): boolean => (this.#groups.get(group) ?? 0) >= this.#mostOfGroup;
    const { signal } = this.#stop;
    try {
      return await sqs.receive(queueName, { max: Math.min(batchSize, 10), waitSeconds: 20, signal, passesOver });
    } catch (error) {
      // The mapping outlives any failure of its queue.
      onProblem(`receiving from ${queueName} failed: ${String(error)}`);
      await wait(errorPauseMs);
      return [];
    }
  }

  async #process(messages: readonly ReceivedMessage[]): Promise<void> {
    const { invoke, queueArn, reportsItemFailures, onProblem } = this.#options;
    const result = await invoke({ Records: messages.map((message) => sqsRecord(message, queueArn)) });
    const ids = messages.map((message) => message.messageId);
    const verdict = batchVerdict(result, ids, reportsItemFailures);
    if (verdict.problem !== null) onProblem(verdict.problem);
    await this.#delete(messages, verdict);
  }

  async #delete(messages: readonly ReceivedMessage[], { failedIds }: BatchVerdict): Promise<void> {
    const { sqs, queueName, onProblem } = this.#options;
    const done = messages.filter((message) => !failedIds.has(message.messageId));
    try {
      await Promise.all(done.map(({ receiptHandle }) => sqs.delete(queueName, receiptHandle)));
    } catch (error) {
      // What is not deleted comes again after its visibility timeout: the function expects that.
      onProblem(`deleting ${done.length} messages failed: ${String(error)}`);
    }
  }
}

/** A message as the function sees it. */
export function sqsRecord(message: ReceivedMessage, queueArn: string): Record<string, unknown> {
  const attributes = Object.entries(message.messageAttributes).map(([name, value]) => [
    name,
    {
      ...(value.StringValue === undefined ? {} : { stringValue: value.StringValue }),
      ...(value.BinaryValue === undefined ? {} : { binaryValue: value.BinaryValue }),
      stringListValues: [],
      binaryListValues: [],
      dataType: value.DataType,
    },
  ]);
  return {
    messageId: message.messageId,
    receiptHandle: message.receiptHandle,
    body: message.body,
    attributes: message.attributes,
    messageAttributes: Object.fromEntries(attributes),
    md5OfBody: message.md5OfBody,
    eventSource: "aws:sqs",
    eventSourceARN: queueArn,
    awsRegion: region,
  };
}

function splitBySize(messages: readonly ReceivedMessage[]): ReceivedMessage[][] {
  const batches: ReceivedMessage[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const message of messages) {
    const size = Buffer.byteLength(JSON.stringify(message.body));
    if (bytes + size > maxBatchBytes) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(message);
    bytes += size;
  }
  return batches;
}
