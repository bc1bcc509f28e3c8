import { arnOf, type LocalAccount, resourceOf } from "../arns.js";
import { AwsError } from "../aws-error.js";
import type { LocalClock } from "../clock.js";
import type { MessageState, QueuedMessage } from "./message.js";
import { invalidParameter } from "./message-rules.js";
import type { MessageStore } from "./message-store.js";
import { Queue, type QueueDefinition } from "./queue.js";
import { checkAttributes, QueueSettings } from "./queue-attributes.js";

export interface QueuesOptions extends LocalAccount {
  readonly clock: LocalClock;
  /** Told of a write that failed where no caller waits for it. */
  readonly onFault: (what: string, error: unknown) => void;
}

/** Attributes or tags. */
export type StringMap = Readonly<Record<string, string>>;

/** Every queue of the account, by name; messages that leave by themselves (too old, received too often) leave here. */
export class Queues {
  readonly #queues = new Map<string, Queue>();

  constructor(
    private readonly messages: MessageStore,
    private readonly options: QueuesOptions,
  ) {}

  /** Loads every queue and answers the highest sequence number in use; what was in flight is visible. */
  async load(): Promise<number> {
    let lastSequence = 0;
    for (const definition of await this.messages.queues()) {
      const queue = this.#add(definition);
      for await (const message of this.messages.messages(queue.name)) {
        lastSequence = Math.max(lastSequence, message.sequence);
        queue.add(message);
      }
    }
    return lastSequence;
  }

  /** Whether this very queue still exists. */
  has(queue: Queue): boolean {
    return this.#queues.get(queue.name) === queue;
  }

  arnOf(name: string): string {
    return arnOf(this.options, "sqs", name);
  }

  /** Every queue, by name. */
  list(): Queue[] {
    return [...this.#queues.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** @throws {AwsError} `QueueDoesNotExist`. */
  get(name: string): Queue {
    const queue = this.#queues.get(name);
    if (queue !== undefined) return queue;
    throw new AwsError("QueueDoesNotExist", "The specified queue does not exist.", {
      queryCode: "AWS.SimpleQueueService.NonExistentQueue",
    });
  }

  /** Idempotent: an existing queue is fine as long as no given attribute differs from its own. */
  async create(name: string, attributes: StringMap = {}, tags: StringMap = {}): Promise<Queue> {
    this.#checkName(name);
    this.#checkAttributes(attributes);
    const existing = this.#queues.get(name);
    if (existing !== undefined) return sameQueue(existing, attributes);
    const nowMs = this.options.clock.now();
    const settings = new QueueSettings(attributes);
    const queue = this.#add({ name, settings, tags, createdAtMs: nowMs, modifiedAtMs: nowMs });
    await this.messages.saveQueue(queue.definition);
    return queue;
  }

  async setAttributes(name: string, changes: StringMap): Promise<void> {
    const queue = this.get(name);
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== ""));
    this.#checkAttributes(given);
    queue.applySettings(queue.settings.with(changes));
    queue.definition.modifiedAtMs = this.options.clock.now();
    await this.messages.saveQueue(queue.definition);
  }

  async setTags(name: string, tags: StringMap): Promise<void> {
    const queue = this.get(name);
    queue.definition.tags = tags;
    await this.messages.saveQueue(queue.definition);
  }

  async delete(name: string): Promise<void> {
    const queue = this.get(name);
    this.#queues.delete(name);
    queue.close();
    await Promise.all([this.#deleteAll(queue), this.messages.deleteQueue(name)]);
  }

  async purge(name: string): Promise<void> {
    await this.#deleteAll(this.get(name));
  }

  /** Ends every long poll; nothing is lost, since everything is on disk. */
  close(): void {
    for (const queue of this.#queues.values()) queue.close();
  }

  #add(definition: QueueDefinition): Queue {
    const queue = new Queue(definition, this.options.clock, {
      exhausted: (from, message) => this.#redrive(from, message),
      expired: (from, message) =>
        this.#watch("deleting an expired message", this.messages.delete(from.name, [message.sequence])),
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
    const move = this.messages.move(from.name, target.name, moved).then(() => target.add(moved));
    this.#watch("moving a message to its dead-letter queue", move);
    return true;
  }

  async #deleteAll(queue: Queue): Promise<void> {
    await this.messages.delete(
      queue.name,
      queue.clear().map(({ sequence }) => sequence),
    );
  }

  #checkName(name: string): void {
    if (name.endsWith(".fifo")) checkAttributes({ FifoQueue: "true" });
    if (/^[A-Za-z0-9_-]{1,80}$/.test(name)) return;
    throw invalidParameter("Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length.");
  }

  #checkAttributes(attributes: StringMap): void {
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

function sameQueue(existing: Queue, attributes: StringMap): Queue {
  const own = existing.settings.all();
  const different = Object.keys(attributes).find((name) => own[name] !== attributes[name]);
  if (different === undefined) return existing;
  throw new AwsError(
    "QueueNameExists",
    `A queue already exists with the same name and a different value for attribute ${different}.`,
    { queryCode: "QueueAlreadyExists" },
  );
}
