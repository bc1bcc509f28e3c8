import { slowNoteEndMs } from "../../core/gate.js";
import type { Gate } from "../../core/model.js";
import { LruMap } from "./config-cache.js";

/** Subscriptions in memory; each is one number. */
const mostSubscriptions = 10_000;

/**
 * What this environment knows of slow subscriptions: from every gate that it reads, and from what it notes itself. It
 * outlives a cached gate, since a note ends by its own time and is never taken back.
 */
export class SlowMemory {
  private readonly untilMs = new LruMap<number>(mostSubscriptions);

  learn(subscriptionId: string, { slowUntilMs }: Pick<Gate, "slowUntilMs">): void {
    const known = this.untilMs.get(subscriptionId) ?? 0;
    if (slowUntilMs !== undefined && slowUntilMs > known) this.untilMs.set(subscriptionId, slowUntilMs);
  }

  isSlow(subscriptionId: string, nowMs: number): boolean {
    return (this.untilMs.get(subscriptionId) ?? 0) > nowMs;
  }

  /** False while what is noted lasts for a good while yet. */
  isWorthNoting(subscriptionId: string, nowMs: number): boolean {
    return slowNoteEndMs(this.untilMs.get(subscriptionId) ?? 0) <= nowMs;
  }

  forget(subscriptionId: string): void {
    this.untilMs.delete(subscriptionId);
  }
}
