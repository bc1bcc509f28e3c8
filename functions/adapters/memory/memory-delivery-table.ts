import type { Clock, DeliveryTable } from "../../app/ports.js";
import { deliveryExpiresAt, hasExpired } from "../../core/expiry.js";
import type { Delivery } from "../../core/model.js";
import { deliveryChanges, type ItemChanges } from "../aws/delivery-item.js";

/** Deliveries in memory, with the table's one rule: a write replaces exactly what was read. */
export class MemoryDeliveryTable implements DeliveryTable {
  readonly deliveries = new Map<string, Delivery>();
  /** What the table's indexes hold of each delivery, under the names of their keys. */
  readonly indexed = new Map<string, ItemChanges>();

  constructor(private readonly options: { readonly now: Clock; readonly retentionDays: number }) {}

  async findDelivery(deliveryId: string): Promise<Delivery | null> {
    return this.current(deliveryId);
  }

  async findDeliveries(deliveryIds: readonly string[]): Promise<readonly Delivery[]> {
    return deliveryIds.flatMap((id) => this.current(id) ?? []);
  }

  async replaceDelivery(previous: Delivery | null, next: Delivery): Promise<boolean> {
    if (!isStill(this.current(next.deliveryId), previous)) return false;
    const changes = deliveryChanges(previous, next, this.options.retentionDays);
    this.deliveries.set(next.deliveryId, next);
    this.indexed.set(next.deliveryId, { ...this.indexed.get(next.deliveryId), ...changes });
    return true;
  }

  private current(deliveryId: string): Delivery | null {
    const delivery = this.deliveries.get(deliveryId);
    if (delivery === undefined) return null;
    const expiresAt = deliveryExpiresAt(delivery, this.options.retentionDays);
    return hasExpired(expiresAt, this.options.now()) ? null : delivery;
  }
}

function isStill(stored: Delivery | null, previous: Delivery | null): boolean {
  if (stored === null || previous === null) return stored === previous;
  return (
    stored.status === previous.status &&
    stored.attemptsStarted === previous.attemptsStarted &&
    stored.claim?.token === previous.claim?.token
  );
}
