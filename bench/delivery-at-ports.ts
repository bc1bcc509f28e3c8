import { randomUUID } from "node:crypto";
import type { DeliveryContext } from "../functions/app/delivery/delivery-context.js";
import { OutcomeMemory } from "../functions/app/delivery/outcome-memory.js";
import type { Sender } from "../functions/app/ports.js";
import { aGate, aSubscription } from "../test/support/builders.js";
import { processInBatches } from "./event-batches.js";

/**
 * The delivery function's use case, with a sender of one's choice and one subscription: what AWS would do is answered at
 * the ports, at once and with nothing kept. Whatever a first attempt that succeeds does not ask for rejects.
 */
export class DeliveryAtPorts {
  readonly #context: DeliveryContext;
  #delivered = 0;

  constructor(url: string, sender: Sender) {
    const subscription = aSubscription({ url });
    const gate = aGate();
    this.#context = {
      subscriptions: { ofSource: async () => [subscription], open: async () => subscription },
      gates: {
        find: async () => gate,
        replaceGate: notAsked,
        addOutcomes: notAsked,
        reserveSlot: notAsked,
        disable: notAsked,
        noteParked: notAsked,
        noteSlow: notAsked,
        knownSlow: notAsked,
      },
      events: { findEvent: notAsked, storeEvent: async (stored) => stored, addSubscription: notAsked },
      deliveries: {
        findDelivery: notAsked,
        findDeliveries: notAsked,
        replaceDelivery: async (_previous, { status }) => {
          if (status === "delivered") this.#delivered += 1;
          return true;
        },
      },
      contents: { put: notAsked, get: notAsked },
      queue: { sendDeliveries: notAsked, returnAfter: notAsked },
      control: { sendTick: notAsked },
      deadLetters: { sendDeadLetter: notAsked },
      faults: { sendFault: notAsked },
      scheduler: { scheduleDelivery: notAsked },
      sender,
      outcomes: new OutcomeMemory(),
      now: Date.now,
      after(afterMs, run) {
        const timer = setTimeout(run, afterMs);
        return () => clearTimeout(timer);
      },
      random: Math.random,
      newToken: randomUUID,
      // Lines are made, as the function makes them, and written nowhere.
      log: (level, message, fields) => void JSON.stringify({ level, message, fields }),
      metrics: { count() {}, value() {} },
      settings: { retentionDays: 30, maxQueueDelaySeconds: 900 },
    };
  }

  /** All of these messages, in invocations of ten. Rejects unless each is delivered. */
  async deliver(messages: readonly string[]): Promise<void> {
    const before = this.#delivered;
    await processInBatches(this.#context, messages);
    const delivered = this.#delivered - before;
    if (delivered !== messages.length) throw new Error(`${delivered} of ${messages.length} were delivered`);
  }
}

const notAsked = () => Promise.reject(new Error("an event that is delivered at once asks for nothing else"));
