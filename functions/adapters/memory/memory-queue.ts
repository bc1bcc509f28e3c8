import type {
  Clock,
  DeadLetterMessage,
  DeadLetterQueue,
  DeliveryMessage,
  DeliveryQueue,
  EventMessage,
  EventQueue,
  RelayMessage,
  RetryScheduler,
} from "../../app/ports.js";

/** A message on the way, visible from `visibleAtMs` on. */
export interface QueuedMessage {
  readonly messageId: string;
  readonly message: RelayMessage;
  readonly receiveCount: number;
  readonly visibleAtMs: number;
}

/** The delivery queue in memory: delays, receive counts and visibility on a given clock. */
export class MemoryQueue implements EventQueue, DeliveryQueue, DeadLetterQueue {
  readonly messages = new Map<string, QueuedMessage>();
  readonly deadLetters: DeadLetterMessage[] = [];
  private sent = 0;

  constructor(
    private readonly now: Clock,
    private readonly visibilitySeconds = 540,
  ) {}

  async sendEvent(message: EventMessage): Promise<void> {
    this.put(message, 0);
  }

  async sendDeliveries(messages: readonly DeliveryMessage[], delaySeconds: number): Promise<void> {
    for (const message of messages) this.put(message, delaySeconds);
  }

  async returnAfter(receiptHandle: string, seconds: number): Promise<void> {
    const queued = this.messages.get(receiptHandle);
    if (queued) this.messages.set(receiptHandle, { ...queued, visibleAtMs: this.now() + seconds * 1000 });
  }

  async sendDeadLetter(message: DeadLetterMessage): Promise<void> {
    this.deadLetters.push(message);
  }

  /** Takes what is visible, at most `max`; each stays invisible until deleted, returned or timed out. */
  receive(max = 10): readonly QueuedMessage[] {
    const visible = [...this.messages.values()].filter((each) => each.visibleAtMs <= this.now()).slice(0, max);
    return visible.map((each) => {
      const visibleAtMs = this.now() + this.visibilitySeconds * 1000;
      const received = { ...each, receiveCount: each.receiveCount + 1, visibleAtMs };
      this.messages.set(each.messageId, received);
      return received;
    });
  }

  delete(messageId: string): void {
    this.messages.delete(messageId);
  }

  /** When the next message becomes visible; undefined when there is none. */
  nextVisibleAtMs(): number | undefined {
    const times = [...this.messages.values()].map((each) => each.visibleAtMs);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  private put(message: RelayMessage, delaySeconds: number): void {
    const messageId = `message-${++this.sent}`;
    const visibleAtMs = this.now() + delaySeconds * 1000;
    this.messages.set(messageId, { messageId, message, receiveCount: 0, visibleAtMs });
  }
}

/** One-time schedules in memory; due ones are handed to the queue by {@link fire}. */
export class MemoryScheduler implements RetryScheduler {
  readonly schedules = new Map<string, { readonly message: DeliveryMessage; readonly atMs: number }>();

  async scheduleDelivery(name: string, message: DeliveryMessage, atMs: number): Promise<void> {
    if (!this.schedules.has(name)) this.schedules.set(name, { message, atMs: Math.ceil(atMs / 1000) * 1000 });
  }

  async fire(queue: DeliveryQueue, nowMs: number): Promise<void> {
    for (const [name, schedule] of this.schedules) {
      if (schedule.atMs > nowMs) continue;
      this.schedules.delete(name);
      await queue.sendDeliveries([schedule.message], 0);
    }
  }

  nextAtMs(): number | undefined {
    const times = [...this.schedules.values()].map((each) => each.atMs);
    return times.length === 0 ? undefined : Math.min(...times);
  }
}
