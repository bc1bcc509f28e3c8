import type { SubscriptionRecord } from "../../app/admin/definitions.js";
import type { SecretValues } from "../../app/admin/ports.js";
import type { Clock } from "../../app/ports.js";
import { hasExpired } from "../../core/expiry.js";
import type { Gate, Source } from "../../core/model.js";

/** Something configured, with its secrets. Only tombstones expire. */
export interface Configured<Record> {
  readonly record: Record;
  readonly secrets: SecretValues;
  /** Epoch seconds. */
  readonly expiresAt?: number;
}

/** The configuration in memory: what the stores write and the readers read. */
export class MemoryConfig {
  readonly sources = new Map<string, Configured<Source>>();
  readonly subscriptions = new Map<string, Configured<SubscriptionRecord>>();
  readonly gates = new Map<string, Gate>();

  constructor(readonly now: Clock) {}

  /** By id, tombstones included until they expire. */
  subscription(subscriptionId: string): Configured<SubscriptionRecord> | null {
    const found = this.subscriptions.get(subscriptionId);
    return found === undefined || hasExpired(found.expiresAt, this.now()) ? null : found;
  }

  /** A subscription's gate; forgotten with its tombstone. */
  gate(subscriptionId: string): Gate | null {
    const expiresAt = this.subscriptions.get(subscriptionId)?.expiresAt;
    return hasExpired(expiresAt, this.now()) ? null : (this.gates.get(subscriptionId) ?? null);
  }

  /** A source's subscriptions in order of their ids, tombstones included until they expire. */
  subscriptionsOf(sourceId: string): readonly Configured<SubscriptionRecord>[] {
    return [...this.subscriptions.values()]
      .filter(({ record, expiresAt }) => record.sourceId === sourceId && !hasExpired(expiresAt, this.now()))
      .toSorted((a, b) => (a.record.subscriptionId < b.record.subscriptionId ? -1 : 1));
  }
}
