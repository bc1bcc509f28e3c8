import type { ContentStore, EventTable, StoredEvent } from "../../app/ports.js";

/** Events in memory: the first write of an event stays. */
export class MemoryEventTable implements EventTable {
  readonly events = new Map<string, StoredEvent>();

  async findEvent(eventId: string): Promise<StoredEvent | null> {
    return this.events.get(eventId) ?? null;
  }

  async storeEvent(stored: StoredEvent): Promise<StoredEvent> {
    const existing = this.events.get(stored.event.eventId);
    if (existing !== undefined) return existing;
    this.events.set(stored.event.eventId, stored);
    return stored;
  }

  async addSubscription(eventId: string, subscriptionId: string): Promise<void> {
    const existing = this.events.get(eventId);
    if (existing === undefined || existing.subscriptionIds.includes(subscriptionId)) return;
    this.events.set(eventId, { ...existing, subscriptionIds: [...existing.subscriptionIds, subscriptionId] });
  }
}

/** Packed contents in memory. */
export class MemoryContentStore implements ContentStore {
  readonly contents = new Map<string, Buffer>();

  async put(key: string, packed: Buffer): Promise<void> {
    this.contents.set(key, Buffer.from(packed));
  }

  async get(key: string): Promise<Buffer> {
    const packed = this.contents.get(key);
    if (packed === undefined) throw new Error(`no content under ${key}`);
    return packed;
  }
}
