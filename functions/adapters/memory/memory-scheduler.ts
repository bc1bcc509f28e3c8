import { encodeMessage } from "../../app/messages.js";
import type { Clock, DeliveryMessage, RetryScheduler } from "../../app/ports.js";
import type { MemoryQueue } from "./memory-queue.js";

/** One-time schedules in memory. Nothing fires by itself: {@link fire} hands over what is due. */
export class MemoryScheduler implements RetryScheduler {
  /** By name: the message's text, and the whole second at which it is due. */
  readonly schedules = new Map<string, { readonly body: string; readonly atMs: number }>();

  constructor(
    private readonly now: Clock,
    private readonly target: MemoryQueue,
  ) {}

  async scheduleDelivery(name: string, message: DeliveryMessage, atMs: number): Promise<void> {
    if (!/^[0-9a-zA-Z\-_.]{1,64}$/.test(name)) throw new Error(`${name} is no name of a schedule`);
    if (this.schedules.has(name)) return;
    this.schedules.set(name, { body: encodeMessage(message), atMs: Math.ceil(atMs / 1000) * 1000 });
  }

  /** Sends what is due and forgets it. Without a message group: Scheduler gives a standard queue none. */
  fire(): void {
    for (const [name, { body, atMs }] of this.schedules) {
      if (atMs > this.now()) continue;
      this.schedules.delete(name);
      this.target.send(body);
    }
  }

  /** When the next schedule is due; undefined when there is none. */
  nextAtMs(): number | undefined {
    let next: number | undefined;
    for (const { atMs } of this.schedules.values()) next = Math.min(next ?? atMs, atMs);
    return next;
  }
}
