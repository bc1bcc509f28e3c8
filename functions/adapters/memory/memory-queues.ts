import { encodeDeadLetter, encodeMessage, encodeRelease } from "../../app/messages.js";
import type {
  ControlQueue,
  DeadLetterMessage,
  DeadLetterQueue,
  DeliveryMessage,
  DeliveryQueue,
  EventMessage,
  EventQueue,
  ReleaseMessage,
} from "../../app/ports.js";
import type { MemoryQueue } from "./memory-queue.js";

/** Longest visibility timeout that SQS takes: 12 hours. */
const maxVisibilitySeconds = 43_200;

/** The relay's queues in memory: messages travel as text, as they do over SQS. */
export class MemoryQueues implements EventQueue, DeliveryQueue, DeadLetterQueue, ControlQueue {
  constructor(
    readonly delivery: MemoryQueue,
    readonly deadLetter: MemoryQueue,
    readonly control: MemoryQueue,
  ) {}

  async sendEvent(message: EventMessage): Promise<void> {
    this.delivery.send(encodeMessage(message), { groupId: message.event.sourceId });
  }

  async sendDeliveries(messages: readonly DeliveryMessage[], delaySeconds: number): Promise<void> {
    for (const message of messages) {
      this.delivery.send(encodeMessage(message), { delaySeconds, groupId: message.subscriptionId });
    }
  }

  async returnAfter(receiptHandle: string, seconds: number): Promise<void> {
    this.delivery.changeVisibility(receiptHandle, Math.min(Math.max(Math.ceil(seconds), 0), maxVisibilitySeconds));
  }

  async sendDeadLetter(message: DeadLetterMessage): Promise<void> {
    this.deadLetter.send(encodeDeadLetter(message));
  }

  async sendRelease(message: ReleaseMessage, delaySeconds: number): Promise<void> {
    this.control.send(encodeRelease(message), { delaySeconds });
  }
}
