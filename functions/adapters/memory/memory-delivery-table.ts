import type { DeliveryTable } from "../../app/ports.js";
import type { Delivery } from "../../core/model.js";

/** Deliveries in memory, with the table's one rule: a write replaces exactly what was read. */
export class MemoryDeliveryTable implements DeliveryTable {
  readonly deliveries = new Map<string, Delivery>();

  async findDelivery(deliveryId: string): Promise<Delivery | null> {
    return this.deliveries.get(deliveryId) ?? null;
  }

  async findDeliveries(deliveryIds: readonly string[]): Promise<readonly Delivery[]> {
    return deliveryIds.flatMap((id) => this.deliveries.get(id) ?? []);
  }

  async replaceDelivery(previous: Delivery | null, next: Delivery): Promise<boolean> {
    const stored = this.deliveries.get(next.deliveryId);
    if (!isStill(stored, previous)) return false;
    this.deliveries.set(next.deliveryId, next);
    return true;
  }
}

function isStill(stored: Delivery | undefined, previous: Delivery | null): boolean {
  if (stored === undefined || previous === null) return stored === undefined && previous === null;
  return (
    stored.status === previous.status &&
    stored.attemptsStarted === previous.attemptsStarted &&
    stored.claim?.token === previous.claim?.token
  );
}
