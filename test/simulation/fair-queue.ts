import { MemoryQueue, type QueuedMessage } from "../../functions/adapters/memory/memory-queue.js";
import { Heap } from "./heap.js";

/** One message group: what may be received, in order, and how much of it is being worked on. */
class Group {
  private ready: QueuedMessage[] = [];
  private taken = 0;
  inFlight = 0;

  get size(): number {
    return this.ready.length - this.taken;
  }

  add(message: QueuedMessage): void {
    this.ready.push(message);
  }

  take(): QueuedMessage | undefined {
    const message = this.ready[this.taken];
    if (message !== undefined) this.taken++;
    if (this.taken > 1_000 && this.taken * 2 > this.ready.length) {
      this.ready = this.ready.slice(this.taken);
      this.taken = 0;
    }
    return message;
  }
}

/**
 * A queue that is fair as SQS is to message groups: it hands out first what belongs to the group with the fewest
 * messages in flight. Made for many messages: each call costs little. A received message stays hidden until it is
 * deleted or returned.
 */
export class FairQueue extends MemoryQueue {
  /** Called with the time at which a message becomes visible. */
  wake: (atMs: number) => void = () => {};
  private readonly groups = new Map<string | null, Group>();
  private readonly delayed = new Heap<QueuedMessage>((message) => message.visibleAtMs);
  private readonly hidden = new Map<string, QueuedMessage>();
  private sent = 0;

  constructor(private readonly now: () => number) {
    super({ now });
  }

  override send(
    body: string,
    { delaySeconds = 0, groupId = null }: { delaySeconds?: number; groupId?: string | null },
  ) {
    const sentAtMs = this.now();
    const message = { messageId: `message-${++this.sent}`, receiptHandle: "", receiveCount: 0, firstReceivedAtMs: 0 };
    this.show({ ...message, body, groupId, sentAtMs, visibleAtMs: sentAtMs + delaySeconds * 1000 });
  }

  private show(message: QueuedMessage): void {
    if (message.visibleAtMs > this.now()) this.delayed.add(message);
    else this.groupOf(message).add(message);
    this.wake(message.visibleAtMs);
  }

  override receive(max = 10): readonly QueuedMessage[] {
    const nowMs = this.now();
    for (let next = this.delayed.first; next !== undefined && next.visibleAtMs <= nowMs; next = this.delayed.first) {
      this.delayed.take();
      this.groupOf(next).add(next);
    }
    const received: QueuedMessage[] = [];
    while (received.length < max) {
      const group = this.quietest();
      const message = group?.take();
      if (group === undefined || message === undefined) break;
      group.inFlight++;
      const receiveCount = message.receiveCount + 1;
      const receiptHandle = `${message.messageId}/${receiveCount}`;
      const hidden = { ...message, receiveCount, receiptHandle, firstReceivedAtMs: message.firstReceivedAtMs || nowMs };
      this.hidden.set(receiptHandle, hidden);
      received.push(hidden);
    }
    return received;
  }

  override delete(receiptHandle: string): void {
    this.letGo(receiptHandle);
  }

  override changeVisibility(receiptHandle: string, seconds: number): void {
    const message = this.letGo(receiptHandle);
    if (message !== undefined) this.show({ ...message, visibleAtMs: this.now() + seconds * 1000 });
  }

  override nextVisibleAtMs(): number | undefined {
    return this.quietest() === undefined ? this.delayed.first?.visibleAtMs : this.now();
  }

  /** Messages that are not deleted. */
  get size(): number {
    let ready = 0;
    for (const group of this.groups.values()) ready += group.size;
    return ready + this.delayed.size + this.hidden.size;
  }

  private letGo(receiptHandle: string): QueuedMessage | undefined {
    const message = this.hidden.get(receiptHandle);
    if (message === undefined) return undefined;
    this.hidden.delete(receiptHandle);
    this.groupOf(message).inFlight--;
    return message;
  }

  private quietest(): Group | undefined {
    let quietest: Group | undefined;
    for (const group of this.groups.values()) {
      if (group.size > 0 && (quietest === undefined || group.inFlight < quietest.inFlight)) quietest = group;
    }
    return quietest;
  }

  private groupOf({ groupId }: QueuedMessage): Group {
    const group = this.groups.get(groupId) ?? new Group();
    this.groups.set(groupId, group);
    return group;
  }
}
