import { MemoryQueue, type QueuedMessage } from "../../functions/adapters/memory/memory-queue.js";

/**
 * A queue that is fair as SQS is to message groups: it hands out first what belongs to the group with the fewest
 * messages in flight.
 */
export class FairQueue extends MemoryQueue {
  private readonly groups = new Map<string | null, MemoryQueue>();
  private readonly faults: MemoryQueue;

  constructor(private readonly now: () => number) {
    super({ now });
    this.faults = new MemoryQueue({ now });
  }

  override send(body: string, options: { delaySeconds?: number; groupId?: string | null } = {}): void {
    const { groupId = null } = options;
    // With the same end, their messages' ids differ.
    const redrive = { maxReceiveCount: 10, to: this.faults };
    const group = this.groups.get(groupId) ?? new MemoryQueue({ now: this.now, redrive });
    this.groups.set(groupId, group);
    group.send(body, options);
  }

  override receive(max = 10): readonly QueuedMessage[] {
    const received: QueuedMessage[] = [];
    const quietFirst = [...this.groups.values()].toSorted((a, b) => this.inFlight(a) - this.inFlight(b));
    for (const group of quietFirst) {
      if (received.length < max) received.push(...group.receive(max - received.length));
    }
    return received;
  }

  override delete(receiptHandle: string): void {
    for (const group of this.groups.values()) group.delete(receiptHandle);
  }

  override changeVisibility(receiptHandle: string, seconds: number): void {
    for (const group of this.groups.values()) group.changeVisibility(receiptHandle, seconds);
  }

  private inFlight(group: MemoryQueue): number {
    let count = 0;
    for (const { receiveCount, visibleAtMs } of group.messages.values()) {
      if (receiveCount > 0 && visibleAtMs > this.now()) count++;
    }
    return count;
  }
}
