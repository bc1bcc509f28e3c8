import type { EventErasure } from "../../app/admin/ports.js";
import type { Clock, EventTable, StoredEvent } from "../../app/ports.js";
import { erasedSha256 } from "../../core/erasure.js";
import { eventExpiresAt, hasExpired } from "../../core/expiry.js";

/** Events in memory: the first write of an event stays until it expires. */
export class MemoryEventTable implements EventTable, EventErasure {
  readonly events = new Map<string, StoredEvent>();

  constructor(private readonly options: { readonly now: Clock; readonly retentionDays: number }) {}

  async findEvent(eventId: string): Promise<StoredEvent | null> {
    return this.current(eventId);
  }

  async storeEvent(stored: StoredEvent): Promise<StoredEvent> {
    const existing = this.current(stored.event.eventId);
    if (existing !== null) return existing;
    this.events.set(stored.event.eventId, stored);
    return stored;
  }

  async addSubscription(eventId: string, subscriptionId: string): Promise<void> {
    const existing = this.current(eventId);
    if (existing === null || existing.subscriptionIds.includes(subscriptionId)) return;
    this.events.set(eventId, { ...existing, subscriptionIds: [...existing.subscriptionIds, subscriptionId] });
  }

  async eraseEvent(eventId: string, erasedAtMs: number): Promise<void> {
    const existing = this.current(eventId);
    if (existing === null) return;
    const event = { ...existing.event, suffix: "", query: "", bodySha256: erasedSha256 };
    this.events.set(eventId, { ...existing, event, content: { at: "bucket", key: `erased/${eventId}` }, erasedAtMs });
  }

  private current(eventId: string): StoredEvent | null {
    const stored = this.events.get(eventId);
    if (stored === undefined) return null;
    const expiresAt = eventExpiresAt(stored.event.receivedAtMs, this.options.retentionDays);
    return hasExpired(expiresAt, this.options.now()) ? null : stored;
  }
}
