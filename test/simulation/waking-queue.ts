import { MemoryQueue, type MemoryQueueOptions } from "../../functions/adapters/memory/memory-queue.js";

/** A queue that tells when something may have become visible, so that nobody has to look all the time. */
export class WakingQueue extends MemoryQueue {
  /** Called with the time at which it is worth looking. */
  wake: (atMs: number) => void = () => {};

  constructor(private readonly clocked: MemoryQueueOptions) {
    super(clocked);
  }

  override send(body: string, options: { delaySeconds?: number; groupId?: string | null } = {}): void {
    super.send(body, options);
    this.wake(this.clocked.now() + (options.delaySeconds ?? 0) * 1000);
  }

  override changeVisibility(receiptHandle: string, seconds: number): void {
    super.changeVisibility(receiptHandle, seconds);
    this.wake(this.clocked.now() + seconds * 1000);
  }
}
