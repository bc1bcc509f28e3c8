import { randomUUID } from "node:crypto";
import { arnOf, type LocalAccount, resourceOf } from "../arns.js";
import { AwsError } from "../aws-error.js";
import type { LocalClock } from "../clock.js";
import type { StateStore } from "../state-store.js";
import { md5Of } from "./digests.js";
import type { MessageContent, MessageState, QueuedMessage, ReceivedMessage } from "./message.js";
import { invalidParameter, type Outgoing, readOutgoing } from "./message-rules.js";
import { MessageStore } from "./message-store.js";
import { Queue, type QueueDefinition } from "./queue.js";
import { checkAttributes, QueueSettings } from "./queue-attributes.js";
import { decodeReceipt, encodeReceipt } from "./receipt-handle.js";

/** SQS lets at most this many messages of a standard queue be in flight. */
const maximumInFlight = 120_000;
const maximumVisibilityTimeoutSeconds = 43_200;

export interface SqsOptions extends LocalAccount {
  readonly store: StateStore;
  readonly clock: LocalClock;
  /** Told of a write that failed where no caller waits for it. */
  readonly onFault: (what: string, error: unknown) => void;
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
}

/**
 * The queues of the local account: what is acknowledged is on disk. Queues are named by name here; URLs and ARNs are
 * the protocol's business.
 */
export class Sqs {
  readonly #queues = new Map<string, Queue>();
  readonly #messages: MessageStore;
  #lastSequence = 0;

  private constructor(private readonly options: SqsOptions) {
    this.#messages = new MessageStore(options.store);
  }

  /** Loads every queue; what was in flight is visible, with its receive count. */
  static async open(options: SqsOptions): Promise<Sqs> {
    const sqs = new Sqs(options);
    for (const definition of await sqs.#messages.queues()) {
      const queue = sqs.#add(definition);
      for await (const message of sqs.#messages.messages(queue.name)) {
        sqs.#lastSequence = Math.max(sqs.#lastSequence, message.sequence);
        queue.add(message);
      }
    }
    return sqs;
  }

  arnOf(queueName: string): string {
    return arnOf(this.options, "sqs", queueName);
  }

  /** Every queue, by name. */
  list(): Queue[] {
    return [...this.#queues.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** @throws {AwsError} `QueueDoesNotExist`. */
  queue(name: string): Queue {
    const queue = this.#queues.get(name);
    if (queue !== undefined) return queue;
    throw new AwsError("QueueDoesNotExist", "The specified queue does not exist.", {
      queryCode: "AWS.SimpleQueueService.NonExistentQueue",
    });
  }

  /** Idempotent: an existing queue is fine as long as no given attribute differs from its own. */
  async createQueue(
    name: string,
    attributes: Readonly<Record<string, string>> = {},
    tags: Readonly<Record<string, string>> = {},
  ): Promise<Queue> {
    this.#checkName(name);
    this.#checkAttributes(attributes);
    const existing = this.#queues.get(name);
    if (existing !== undefined) return sameQueue(existing, attributes);
    const nowMs = this.options.clock.now();
    const settings = new QueueSettings(attributes);
    const queue = this.#add({ name, settings, tags, createdAtMs: nowMs, modifiedAtMs: nowMs });
    await this.#messages.saveQueue(queue.definition);
    return queue;
  }

  async setAttributes(name: string, changes: Readonly<Record<string, string>>): Promise<void> {
    const queue = this.queue(name);
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== ""));
    this.#checkAttributes(given);
    queue.applySettings(queue.settings.with(changes));
    queue.definition.modifiedAtMs = this.options.clock.now();
    await this.#messages.saveQueue(queue.definition);
  }

  async setTags(name: string, tags: Readonly<Record<string, string>>): Promise<void> {
    const queue = this.queue(name);
    queue.definition.tags = tags;
    await this.#messages.saveQueue(queue.definition);
  }

  async deleteQueue(name: string): Promise<void> {
    const queue = this.queue(name);
    this.#queues.delete(name);
    queue.close();
    await Promise.all([this.#deleteAll(queue), this.#messages.deleteQueue(name)]);
  }

  async purge(name: string): Promise<void> {
    await this.#deleteAll(this.queue(name));
  }

  /** Resolves once the messages are on disk; only then can they be received. Answers their ids, in order. */
  async send(queueName: string, outgoing: readonly Outgoing[]): Promise<string[]> {
    const queue = this.queue(queueName);
    const messages = outgoing.map((message) => ({ state: this.#newState(queue, message), content: message.content }));
    await this.#messages.insert(queue.name, messages);
    // A queue that was deleted meanwhile takes its messages with it.
    if (this.#queues.get(queueName) !== queue) await this.#messages.delete(queueName, messages.map(sequenceOf));
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
    const maximumBytes = this.queue(queueName).settings.maximumMessageBytes;
    const [messageId] = await this.send(queueName, [readOutgoing(input, maximumBytes)]);
    return messageId as string;
  }

  /** Short or long poll. Receive counts are on disk before the messages are handed out. */
  async receive(queueName: string, options: ReceiveOptions = {}): Promise<ReceivedMessage[]> {
    const queue = this.queue(queueName);
    if (queue.counts().inFlight >= maximumInFlight) {
      throw new AwsError("OverLimit", `Too many messages in flight: the limit is ${maximumInFlight}.`, {
        statusCode: 403,
      });
    }
    const visibilityTimeoutSeconds = options.visibilityTimeoutSeconds ?? queue.settings.visibilityTimeoutSeconds;
    const waitSeconds = options.waitSeconds ?? queue.settings.waitSeconds;
    const taken = await queue.take(
      { max: options.max ?? 1, visibilityTimeoutMs: visibilityTimeoutSeconds * 1000 },
      waitSeconds * 1000,
      options.signal,
    );
    if (taken.length === 0) return [];
    // As they are now: by the time the disk answers a message may be visible, and received, again.
    const states = taken.map((message) => ({ ...message }));
    const [contents] = await Promise.all([
      this.#messages.contents(states.map(({ sequence }) => sequence)),
      this.#messages.saveStates(queue.name, states),
    ]);
    await this.#dropGone(queue, taken);
    return states.flatMap((state, index) => {
      const content = contents[index];
      return content ? [this.#received(queue, state, content)] : [];
    });
  }

  /**
   * Deletes what the handle's receive got. A message that was received again since stays, and that is no error: only
   * the latest handle deletes.
   */
  async delete(queueName: string, receiptHandle: string): Promise<void> {
    const queue = this.queue(queueName);
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
    const queue = this.queue(queueName);
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
    const queue = this.queue(queueName);
    const messages = queue.removeVisible(count);
    const contents = await this.#messages.contents(messages.map(({ sequence }) => sequence));
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
    for (const queue of this.#queues.values()) queue.close();
  }

  #add(definition: QueueDefinition): Queue {
    const queue = new Queue(definition, this.options.clock, {
      exhausted: (from, message) => this.#redrive(from, message),
      expired: (from, message) =>
        this.#watch("deleting an expired message", this.#messages.delete(from.name, [message.sequence])),
    });
    this.#queues.set(definition.name, queue);
    return queue;
  }

  /** False when the dead-letter queue is gone: then the message goes on being received, as on AWS. */
  #redrive(from: Queue, message: QueuedMessage): boolean {
    const target = this.#queues.get(resourceOf(from.settings.redrivePolicy?.deadLetterTargetArn ?? "", "sqs") ?? "");
    if (target === undefined) return false;
    const moved: MessageState = {
      ...message,
      sourceArn: this.arnOf(from.name),
      delayedUntilMs: 0,
      receiveCount: 0,
      firstReceivedAtMs: null,
    };
    const move = this.#messages.move(from.name, target.name, moved).then(() => target.add(moved));
    this.#watch("moving a message to its dead-letter queue", move);
    return true;
  }

  /** A message that left the queue while its count was being written has its state entry again: removes that. */
  async #dropGone(queue: Queue, taken: readonly QueuedMessage[]): Promise<void> {
    const gone = taken.filter((message) => message.place === "gone");
    if (gone.length > 0)
      await this.#messages.deleteStates(
        queue.name,
        gone.map(({ sequence }) => sequence),
      );
  }

  async #deleteAll(queue: Queue): Promise<void> {
    await this.#messages.delete(
      queue.name,
      queue.clear().map(({ sequence }) => sequence),
    );
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

  #checkName(name: string): void {
    if (name.endsWith(".fifo")) checkAttributes({ FifoQueue: "true" });
    if (/^[A-Za-z0-9_-]{1,80}$/.test(name)) return;
    throw invalidParameter("Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length.");
  }

  #checkAttributes(attributes: Readonly<Record<string, string>>): void {
    checkAttributes(attributes);
    const target = new QueueSettings(attributes).redrivePolicy?.deadLetterTargetArn;
    if (target === undefined || this.#queues.has(resourceOf(target, "sqs") ?? "")) return;
    throw invalidParameter(
      `Value ${attributes["RedrivePolicy"]} for parameter RedrivePolicy is invalid. Reason: Dead letter target does not exist.`,
    );
  }

  #watch(what: string, work: Promise<void>): void {
    work.catch((error: unknown) => this.options.onFault(what, error));
  }
}

const sequenceOf = ({ state }: { readonly state: MessageState }): number => state.sequence;

function sameQueue(existing: Queue, attributes: Readonly<Record<string, string>>): Queue {
  const own = existing.settings.all();
  const different = Object.keys(attributes).find((name) => own[name] !== attributes[name]);
  if (different === undefined) return existing;
  throw new AwsError(
    "QueueNameExists",
    `A queue already exists with the same name and a different value for attribute ${different}.`,
    { queryCode: "QueueAlreadyExists" },
  );
}
