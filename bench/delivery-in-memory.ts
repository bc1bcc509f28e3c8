import { encodeMessage } from "../functions/app/messages.js";
import { invocationTime } from "../functions/app/delivery/invocation-time.js";
import { processBatch, type ReceivedRecord } from "../functions/app/delivery/process-batch.js";
import type { Sender } from "../functions/app/ports.js";
import { packContent } from "../functions/core/content.js";
import { aSubscription, anEvent } from "../test/support/builders.js";
import { memoryRelay } from "../test/support/memory-relay.js";

const invocationMs = 90_000;

/** As the function receives them. */
export const batchSize = 10;

/** The delivery function's use case over tables and queues in memory, with a sender of one's choice, by the real clock. */
export class DeliveryInMemory {
  readonly #relay: ReturnType<typeof memoryRelay>;
  readonly #context: ReturnType<typeof memoryRelay>["context"];
  #made = 0;

  constructor(url: string, sender: Sender) {
    this.#relay = memoryRelay({ subscriptions: [aSubscription({ url })] });
    this.#context = {
      ...this.#relay.context,
      sender,
      now: Date.now,
      // Lines are made, as the function makes them, and written nowhere.
      log: (level, message, fields) => void JSON.stringify({ level, message, fields }),
      metrics: { count() {}, value() {} },
      random: Math.random,
    };
  }

  /** Deliveries that are final by now. */
  get delivered(): number {
    return [...this.#relay.deliveries.deliveries.values()].filter(({ status }) => status === "delivered").length;
  }

  /** Texts of messages of new events, each with this body. */
  messages(count: number, body: Buffer): string[] {
    const packed = packContent({ headers: [["content-type", "application/json"]], body });
    return Array.from({ length: count }, () => {
      const event = anEvent(body, { eventId: `evt_${++this.#made}`, receivedAtMs: Date.now() });
      return encodeMessage({ v: 1, kind: "event", event, content: { at: "inline", packed } });
    });
  }

  /** One invocation. Rejects when a message would come back. */
  async invoke(messages: readonly string[]): Promise<void> {
    this.#relay.clock.set(Date.now());
    const records: ReceivedRecord[] = messages.map((body, at) => {
      const messageId = `message-${this.#made}-${at}`;
      return { messageId, receiptHandle: messageId, receiveCount: 1, firstReceivedAtMs: Date.now(), body };
    });
    const failed = await processBatch(this.#context, records, invocationTime(Date.now(), invocationMs));
    if (failed.length > 0) throw new Error(`${failed.length} messages were not processed`);
  }

  /** All of these messages, one invocation after the other. */
  async invokeAll(messages: readonly string[]): Promise<void> {
    for (let at = 0; at < messages.length; at += batchSize) await this.invoke(messages.slice(at, at + batchSize));
  }
}
