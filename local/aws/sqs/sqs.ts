import { randomUUID } from "node:crypto";

import { AwsError } from "../aws-error.js";

import type { StateStore } from "../state-store.js";
import { md5Of } from "./digests.js";
import type { MessageContent, MessageState, QueuedMessage, ReceivedMessage } from "./message.js";
import { invalidParameter, type Outgoing, readOutgoing } from "./message-rules.js";
import { MessageStore } from "./message-store.js";
import type { Queue } from "./queue.js";
import { Queues, type QueuesOptions, type StringMap } from "./queues.js";

import { decodeReceipt, encodeReceipt } from "./receipt-handle.js";

/** SQS lets at most this many messages of a standard queue be in flight. */
const maximumInFlight = 120_000;
const maximumVisibilityTimeoutSeconds = 43_200;

export interface SqsOptions extends QueuesOptions {
  readonly store: StateStore;
}

export interface ReceiveOptions {
  /** 1 … 10 over HTTP; any number from within the process. Default 1. */
  readonly max?: number;
  /** Default: the queue's own. */
  readonly visibilityTimeoutSeconds?: number | undefined;
  /** Default: the queue's own; from within the process also beyond 20. */
  readonly waitSeconds?: number | undefined;
  /** Ends the wait with nothing received. */
  readonly signal?: AbortSignal;
  /** Message groups that are left where they are: see {@link Sqs.lookAgain}. */
  readonly passesOver?: (groupId: string) => boolean;
}

/**
 * The queues of the local account: what is acknowledged is on disk. Queues are named by name here; URLs and ARNs are
 * the protocol's business.
 */
export class Sqs {
  readonly #queues: Queues;
  readonly #messages: MessageStore;
  #lastSequence = 0;

  private constructor(private readonly options: SqsOptions) {
    this.#messages = new MessageStore(options.store);
    this.#queues = new Queues(this.#messages, options);
  }

  /** Loads everything; what was in flight is visible, with its receive count. */
  static async open(options: SqsOptions): Promise<Sqs> {
    const sqs = new Sqs(options);
    sqs.#lastSequence = await sqs.#queues.load();
    return sqs;
  }

  arnOf(queueName: string): string {
    return this.#queues.arnOf(queueName);
  }

  /** Every queue, by name. */
  list(): Queue[] {
    return this.#queues.list();
  }

  /** @throws {AwsError} `QueueDoesNotExist`. */
  queue(name: string): Queue {
    return this.#queues.get(name);
  }

  /** Idempotent: an existing queue is fine as long as no given attribute differs from its own. */
  createQueue(name: string, attributes?: StringMap, tags?: StringMap): Promise<Queue> {
    return this.#queues.create(name, attributes, tags);
  }

  /** An empty text removes an attribute. */
  setAttributes(name: string, changes: StringMap): Promise<void> {
    return this.#queues.setAttributes(name, changes);
  }

  setTags(name: string, tags: StringMap): Promise<void> {
    return this.#queues.setTags(name, tags);
  }

  deleteQueue(name: string): Promise<void> {
    return this.#queues.delete(name);
  }

  purge(name: string): Promise<void> {
    return this.#queues.purge(name);
  }

  /** Resolves once the messages are on disk; only then can they be received. Answers their ids, in order. */
  async send(queueName: string, outgoing: readonly Outgoing[]): Promise<string[]> {
    const queue = this.#queues.get(queueName);
    const messages = outgoing.map((message) => ({ state: this.#newState(queue, message), content: message.content }));
    await this.#messages.insert(queue.name, messages);
    // A queue that was deleted meanwhile takes its messages with it.
    if (!this.#queues.has(queue)) await this.#messages.delete(queueName, messages.map(sequenceOf));
    else for (const { state } of messages) queue.add(state);
    return messages.map(({ state }) => state.messageId);
  }

  /** Sends one text from within the process, under the same rules as over HTTP. Answers the message id. */
  async sendBody(
    queueName: string,
    body: string,
    options: { readonly groupId?: string | null; readonly delaySeconds?: number } = {},
  ): Promise<string> {
    const { groupId, delaySeconds } = options;
    const input = { MessageBody: body, MessageGroupId: groupId, DelaySeconds: delaySeconds };
    const maximumBytes = this.#queues.get(queueName).settings.maximumMessageBytes;
    const [messageId] = await this.send(queueName, [readOutgoing(input, maximumBytes)]);
    return messageId as string;
  }

  /** Short or long poll. Receive counts are on disk before the messages are handed out. */
  async receive(queueName: string, options: ReceiveOptions = {}): Promise<ReceivedMessage[]> {
    const queue = this.#queues.get(queueName);
    if (queue.counts().inFlight >= maximumInFlight) {
      throw new AwsError("OverLimit", `Too many messages in flight: the limit is ${maximumInFlight}.`, {
        statusCode: 403,
      });
    }
    const visibilityTimeoutSeconds = options.visibilityTimeoutSeconds ?? queue.settings.visibilityTimeoutSeconds;
    const waitSeconds = options.waitSeconds ?? queue.settings.waitSeconds;
    const { max = 1, passesOver, signal } = options;
    const taking = { max, visibilityTimeoutMs: visibilityTimeoutSeconds * 1000, passesOver };
    const taken = await queue.take(taking, waitSeconds * 1000, signal);
    if (taken.length === 0) return [];
    const contents = this.#messages.contents(taken.map(({ sequence }) => sequence));
    await this.#messages.saveStates(queue.name, taken);
    await this.#dropGone(queue, taken);
    return taken.flatMap((state, index) => {
      const content = contents[index];
      return content ? [this.#received(queue, state, content)] : [];
    });
  }

  /** Serves who waits for messages: the groups that they pass over have changed. */
  lookAgain(queueName: string): void {
    this.#queues.get(queueName).lookAgain();
  }

  /**
   * Deletes what the handle's receive got. A message that was received again since stays, and that is no error: only
   * the latest handle deletes.
   */
  async delete(queueName: string, receiptHandle: string): Promise<void> {
    const queue = this.#queues.get(queueName);
    const message = this.#latest(queue, receiptHandle);
    if (message === undefined) return;
    queue.remove(message);
    await this.#messages.delete(queue.name, [message.sequence]);
  }

  /**
   * Makes a message in flight visible after `seconds` from now; 0: at once. A handle whose time is over changes
   * nothing and is no error; a message that is gone is one.
   */
  changeVisibility(queueName: string, receiptHandle: string, seconds: number): void {
    const queue = this.#queues.get(queueName);
    if (seconds < 0 || seconds > maximumVisibilityTimeoutSeconds) {
      throw invalidParameter(
        `Value ${seconds} for parameter VisibilityTimeout is invalid. Reason: VisibilityTimeout must be an integer between 0 and ${maximumVisibilityTimeoutSeconds}.`,
      );
    }
    const receipt = decodeReceipt(receiptHandle, queue.name);
    if (queue.find(receipt.sequence)?.messageId !== receipt.messageId) {
      throw invalidParameter(
        `Value ${receiptHandle} for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.`,
      );
    }
    const message = this.#latest(queue, receiptHandle);
    if (message?.place === "in_flight") queue.setVisibleAt(message, this.options.clock.now() + seconds * 1000);
  }

  /**
   * Moves up to `count` visible messages, each as a new message (new id, time and count) to the queue that `target`
   * names. Answers how many it moved.
   */
  async moveVisible(queueName: string, count: number, target: (message: MessageState) => string): Promise<number> {
    const queue = this.#queues.get(queueName);
    const messages = queue.removeVisible(count);
    const contents = this.#messages.contents(messages.map(({ sequence }) => sequence));
    for (const [index, message] of messages.entries()) {
      try {
        await this.#moveOne(queue, message, contents[index] ?? null, target(message));
      } catch (error) {
        for (const left of messages.slice(index)) queue.add(left);
        throw error;
      }
    }
    return messages.length;
  }

  async #moveOne(from: Queue, message: MessageState, content: MessageContent | null, target: string): Promise<void> {
    if (content !== null) await this.send(target, [{ content, groupId: message.groupId, delaySeconds: null }]);
    await this.#messages.delete(from.name, [message.sequence]);
  }

  /** Ends every long poll; nothing is lost, since everything is on disk. */
  close(): void {
    this.#queues.close();
  }

  /** A message that left the queue while its count was being written has its state entry again: removes that. */
  async #dropGone(queue: Queue, taken: readonly MessageState[]): Promise<void> {
    const gone = taken.map(({ sequence }) => sequence).filter((sequence) => queue.find(sequence) === undefined);
    if (gone.length > 0) await this.#messages.deleteStates(queue.name, gone);
  }

  #latest(queue: Queue, receiptHandle: string): QueuedMessage | undefined {
    const receipt = decodeReceipt(receiptHandle, queue.name);
    const message = queue.find(receipt.sequence);
    return message?.messageId === receipt.messageId && message.receiveCount === receipt.receiveCount
      ? message
      : undefined;
  }

  #newState(queue: Queue, message: Outgoing): MessageState {
    const nowMs = this.options.clock.now();
    const delaySeconds = message.delaySeconds ?? queue.settings.delaySeconds;
    this.#lastSequence += 1;
    return {
      sequence: this.#lastSequence,
      messageId: randomUUID(),
      sentAtMs: nowMs,
      groupId: message.groupId,
      sourceArn: null,
      delayedUntilMs: delaySeconds > 0 ? nowMs + delaySeconds * 1000 : 0,
      receiveCount: 0,
      firstReceivedAtMs: null,
    };
  }

  #received(queue: Queue, state: MessageState, content: MessageContent): ReceivedMessage {
    const attributes: Record<string, string> = {
      SenderId: this.options.accountId,
      SentTimestamp: String(state.sentAtMs),
      ApproximateReceiveCount: String(state.receiveCount),
      ApproximateFirstReceiveTimestamp: String(state.firstReceivedAtMs),
    };
    if (state.groupId !== null) attributes["MessageGroupId"] = state.groupId;
    if (state.sourceArn !== null) attributes["DeadLetterQueueSourceArn"] = state.sourceArn;
    if (content.traceHeader !== null) attributes["AWSTraceHeader"] = content.traceHeader;
    return {
      messageId: state.messageId,
      receiptHandle: encodeReceipt({ queueName: queue.name, ...state }),
      body: content.body,
      md5OfBody: md5Of(content.body),
      attributes,
      messageAttributes: content.attributes,
    };
  }
}

const sequenceOf = ({ state }: { readonly state: MessageState }): number => state.sequence;
