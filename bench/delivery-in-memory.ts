import type { DeliveryContext } from "../functions/app/delivery/delivery-context.js";
import type { Sender } from "../functions/app/ports.js";
import { aSubscription } from "../test/support/builders.js";
import { memoryRelay } from "../test/support/memory-relay.js";
import { eventMessages, processInBatches } from "./event-batches.js";

/** The delivery function's use case over tables in memory that keep every delivery, by the real clock. */
export class DeliveryInMemory {
  readonly #relay: ReturnType<typeof memoryRelay>;
  readonly #context: DeliveryContext;
  #made = 0;

  constructor(url: string, sender: Sender) {
    this.#relay = memoryRelay({ subscriptions: [aSubscription({ url })] });
    this.#context = {
      ...this.#relay.context,
      sender,
      now: Date.now,
      log() {},
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
    this.#made += count;
    return eventMessages(this.#made - count, count, body);
  }

  /** All of these messages, one invocation after the other. Rejects when a message would come back. */
  async invokeAll(messages: readonly string[]): Promise<void> {
    this.#relay.clock.set(Date.now());
    await processInBatches(this.#context, messages);
  }
}
