import { encodeDeadLetter, encodeMessage, encodeTick } from "../../app/messages.js";
import type {
  ControlInbox,
  ControlMessage,
  ControlQueue,
  DeadLetterMessage,
  DeadLetterQueue,
  DeliveryMessage,
  DeliveryQueue,
  EventMessage,
  EventQueue,
  Lane,
} from "../../app/ports.js";
import type { MemoryQueue } from "./memory-queue.js";

/** Longest visibility timeout that SQS takes: 12 hours. */
const maxVisibilitySeconds = 43_200;

const visibilitySeconds = (seconds: number): number => Math.min(Math.max(Math.ceil(seconds), 0), maxVisibilitySeconds);

/** The relay's queues in memory: messages travel as text, as they do over SQS. */
export class MemoryQueues implements EventQueue, DeliveryQueue, DeadLetterQueue, ControlQueue, ControlInbox {
  constructor(
    readonly delivery: MemoryQueue,
    readonly deadLetter: MemoryQueue,
    readonly control: MemoryQueue,
    readonly slow: MemoryQueue,
  ) {}

  async sendEvent(message: EventMessage): Promise<void> {
    this.delivery.send(encodeMessage(message), { groupId: message.event.sourceId });
  }

  async sendDeliveries(messages: readonly DeliveryMessage[], delaySeconds: number, lane: Lane = "fast"): Promise<void> {
    for (const message of messages) {
      this.queueOf(lane).send(encodeMessage(message), { delaySeconds, groupId: message.subscriptionId });
    }
  }

  async returnAfter(receiptHandle: string, seconds: number, lane: Lane = "fast"): Promise<void> {
    this.queueOf(lane).changeVisibility(receiptHandle, visibilitySeconds(seconds));
  }

  async returnTick(receiptHandle: string, seconds: number): Promise<void> {
    this.control.changeVisibility(receiptHandle, visibilitySeconds(seconds));
  }

  private queueOf(lane: Lane): MemoryQueue {
    return lane === "slow" ? this.slow : this.delivery;
  }

  async sendDeadLetter(message: DeadLetterMessage): Promise<void> {
    this.deadLetter.send(encodeDeadLetter(message));
  }

  async sendTick(message: ControlMessage, delaySeconds: number): Promise<void> {
    this.control.send(encodeTick(message), { delaySeconds });
  }
}
