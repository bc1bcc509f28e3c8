import type { StateStore, WriteOperation } from "../state-store.js";
import type { MessageContent, MessageState } from "./message.js";
import type { QueueDefinition } from "./queue.js";
import { QueueSettings } from "./queue-attributes.js";

const queuePrefix = "sqs!queue!";
const statePrefix = "sqs!state!";
const contentPrefix = "sqs!content!";

/** Twelve digits in base 36, so that the order of keys is the order of sending. */
const sequenceKey = (sequence: number): string => sequence.toString(36).padStart(12, "0");
const stateKey = (queueName: string, sequence: number): string => `${statePrefix}${queueName}!${sequenceKey(sequence)}`;
const contentKey = (sequence: number): string => contentPrefix + sequenceKey(sequence);

/**
 * Queues and messages on disk. A message is two entries: its content, written once, and its small state, rewritten at
 * each receive and moved when it changes queues. Where a message is in time (visible, in flight) is not kept: after a
 * restart everything that was in flight is visible.
 */
export class MessageStore {
  constructor(private readonly store: StateStore) {}

  async queues(): Promise<QueueDefinition[]> {
    const found: QueueDefinition[] = [];
    for await (const [, value] of this.store.range(queuePrefix)) {
      const { attributes, ...definition } = JSON.parse(value);
      found.push({ ...definition, settings: new QueueSettings(attributes) });
    }
    return found;
  }

  saveQueue(definition: QueueDefinition): Promise<void> {
    const { settings, ...kept } = definition;
    const value = JSON.stringify({ ...kept, attributes: settings.given });
    return this.store.write([{ type: "put", key: queuePrefix + definition.name, value }]);
  }

  deleteQueue(name: string): Promise<void> {
    return this.store.write([{ type: "del", key: queuePrefix + name }]);
  }

  /** Every message of a queue in the order of sending. */
  async *messages(queueName: string): AsyncIterable<MessageState> {
    for await (const [, value] of this.store.range(`${statePrefix}${queueName}!`)) yield JSON.parse(value);
  }

  insert(queueName: string, messages: readonly { state: MessageState; content: MessageContent }[]): Promise<void> {
    return this.store.write(
      messages.flatMap(({ state, content }) => [
        putState(queueName, state),
        { type: "put", key: contentKey(state.sequence), value: JSON.stringify(content) },
      ]),
    );
  }

  saveStates(queueName: string, states: readonly MessageState[]): Promise<void> {
    return this.store.write(states.map((state) => putState(queueName, state)));
  }

  /** One batch: the message is in one of the two queues at any time. */
  move(fromQueue: string, toQueue: string, state: MessageState): Promise<void> {
    return this.store.write([{ type: "del", key: stateKey(fromQueue, state.sequence) }, putState(toQueue, state)]);
  }

  /** Null where the message was deleted meanwhile. */
  contents(sequences: readonly number[]): (MessageContent | null)[] {
    return sequences.map((sequence) => {
      const value = this.store.getNow(contentKey(sequence));
      return value === undefined ? null : JSON.parse(value);
    });
  }

  deleteStates(queueName: string, sequences: readonly number[]): Promise<void> {
    return this.store.write(sequences.map((sequence) => ({ type: "del", key: stateKey(queueName, sequence) })));
  }

  delete(queueName: string, sequences: readonly number[]): Promise<void> {
    return this.store.write(
      sequences.flatMap((sequence) => [
        { type: "del", key: stateKey(queueName, sequence) },
        { type: "del", key: contentKey(sequence) },
      ]),
    );
  }
}

function putState(queueName: string, message: MessageState): WriteOperation {
  const { sequence, messageId, sentAtMs, groupId, sourceArn, delayedUntilMs, receiveCount, firstReceivedAtMs } =
    message;
  const state: MessageState = {
    sequence,
    messageId,
    sentAtMs,
    groupId,
    sourceArn,
    delayedUntilMs,
    receiveCount,
    firstReceivedAtMs,
  };
  return { type: "put", key: stateKey(queueName, sequence), value: JSON.stringify(state) };
}
