import type { QueuedMessage } from "../../functions/adapters/memory/memory-queue.js";
import type { FairQueue } from "./fair-queue.js";
import type { World } from "./world.js";

/** Lambda begins with five invocations at a time, and adds up to 300 a minute while there is more to do. */
const firstSlots = 5;
/** While every slot is busy, this is how often somebody receives: when the next slot is added. */
export const receiveCycleMs = 200;
/** From a message's becoming visible to its receive. */
const receiveMs = 10;

/** Slots that receive messages of a queue, ten at the most, and work on them; one more now and then while all are busy. */
export class EventSource {
  private slots: number;
  private busy = 0;
  private growth: "none" | "under way" = "none";
  private nextLookMs = Number.POSITIVE_INFINITY;

  /** `work` sees to it that each message is deleted, or returned. */
  constructor(
    private readonly world: World,
    private readonly queue: FairQueue,
    private readonly mostSlots: number,
    private readonly work: (messages: readonly QueuedMessage[]) => Promise<void>,
    private readonly batchSize = 10,
  ) {
    this.slots = Math.min(firstSlots, mostSlots);
    queue.wake = (atMs) => this.lookAt(atMs);
  }

  private lookAt(atMs: number): void {
    const soonest = Math.max(atMs, this.world.now() + receiveMs);
    if (soonest >= this.nextLookMs) return;
    this.nextLookMs = soonest;
    this.world.after(soonest - this.world.now(), () => {
      if (this.nextLookMs === soonest) this.nextLookMs = Number.POSITIVE_INFINITY;
      this.look();
    });
  }

  private look(): void {
    while (this.busy < this.slots) {
      const messages = this.queue.receive(this.batchSize);
      if (messages.length === 0) {
        const nextMs = this.queue.nextVisibleAtMs();
        if (nextMs !== undefined) this.lookAt(nextMs);
        return;
      }
      this.busy++;
      void this.work(messages).finally(() => {
        this.busy--;
        this.look();
      });
    }
    this.grow();
  }

  private grow(): void {
    if (this.growth === "under way" || this.slots >= this.mostSlots) return;
    this.growth = "under way";
    this.world.after(receiveCycleMs, () => {
      this.growth = "none";
      if (this.busy >= this.slots) this.slots++;
      this.look();
    });
  }
}
