import type { Clock } from "../../app/ports.js";

/** A message in the queue: delayed, visible, or received and hidden for a while. */
export interface QueuedMessage {
  readonly messageId: string;
  readonly body: string;
  readonly groupId: string | null;
  readonly sentAtMs: number;
  readonly visibleAtMs: number;
  readonly receiveCount: number;
  /** Epoch milliseconds of the first receive; 0 before it. */
  readonly firstReceivedAtMs: number;
  /** Of the latest receive; an earlier one is worth nothing. */
  readonly receiptHandle: string;
}

export interface MemoryQueueOptions {
  readonly now: Clock;
  /** How long a received message is hidden. Default 540, as deployed. */
  readonly visibilitySeconds?: number;
  /** Where a message goes instead of being received more often than this. */
  readonly redrive?: { readonly maxReceiveCount: number; readonly to: MemoryQueue };
}

/** Longest delay that SQS takes. */
const maxDelaySeconds = 900;

/** A standard queue in memory: delays, visibility, receive counts and redrive on a given clock. Nothing expires. */
export class MemoryQueue {
  /** By message id, in the order of sending. */
  readonly messages = new Map<string, QueuedMessage>();
  /** Ids are unique in this queue and in the one that takes what was received too often. */
  private readonly ids: { last: number };

  constructor(private readonly options: MemoryQueueOptions) {
    this.ids = options.redrive?.to.ids ?? { last: 0 };
  }

  /** @throws {RangeError} for a delay that SQS refuses. */
  send(body: string, { delaySeconds = 0, groupId = null }: { delaySeconds?: number; groupId?: string | null } = {}) {
    if (!Number.isInteger(delaySeconds) || delaySeconds < 0 || delaySeconds > maxDelaySeconds) {
      throw new RangeError(`a queue delays by 0 to ${maxDelaySeconds} whole seconds, not by ${delaySeconds}`);
    }
    const sentAtMs = this.options.now();
    const visibleAtMs = sentAtMs + delaySeconds * 1000;
    this.put({ body, groupId, sentAtMs, visibleAtMs, messageId: `message-${++this.ids.last}`, receiptHandle: "" });
  }

  /** Takes what is visible, at most `max`; each stays hidden until deleted, returned or timed out. */
  receive(max = 10): readonly QueuedMessage[] {
    const nowMs = this.options.now();
    const received: QueuedMessage[] = [];
    for (const message of this.messages.values()) {
      if (received.length === max) break;
      if (message.visibleAtMs > nowMs || this.movedAway(message)) continue;
      const receiveCount = message.receiveCount + 1;
      const visibleAtMs = nowMs + (this.options.visibilitySeconds ?? 540) * 1000;
      const receiptHandle = `${message.messageId}/${receiveCount}`;
      const firstReceivedAtMs = message.firstReceivedAtMs || nowMs;
      received.push({ ...message, receiveCount, firstReceivedAtMs, visibleAtMs, receiptHandle });
    }
    for (const message of received) this.messages.set(message.messageId, message);
    return received;
  }

  /** Does nothing with the handle of an earlier receive, as SQS does. */
  delete(receiptHandle: string): void {
    const message = this.held(receiptHandle);
    if (message !== undefined) this.messages.delete(message.messageId);
  }

  /** A received message is visible again after `seconds` from now. */
  changeVisibility(receiptHandle: string, seconds: number): void {
    const message = this.held(receiptHandle);
    if (message === undefined) return;
    this.messages.set(message.messageId, { ...message, visibleAtMs: this.options.now() + seconds * 1000 });
  }

  /** When the next message is or becomes visible; undefined when there is none. */
  nextVisibleAtMs(): number | undefined {
    let next: number | undefined;
    for (const { visibleAtMs } of this.messages.values()) next = Math.min(next ?? visibleAtMs, visibleAtMs);
    return next;
  }

  private held(receiptHandle: string): QueuedMessage | undefined {
    const message = this.messages.get(receiptHandle.split("/")[0] ?? "");
    return message?.receiptHandle === receiptHandle ? message : undefined;
  }

  private movedAway(message: QueuedMessage): boolean {
    const { redrive } = this.options;
    if (redrive === undefined || message.receiveCount < redrive.maxReceiveCount) return false;
    this.messages.delete(message.messageId);
    redrive.to.put({ ...message, visibleAtMs: this.options.now() });
    return true;
  }

  private put(message: Omit<QueuedMessage, "receiveCount" | "firstReceivedAtMs">): void {
    this.messages.set(message.messageId, { receiveCount: 0, firstReceivedAtMs: 0, ...message });
  }
}
