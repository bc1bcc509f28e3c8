import type { Clock, DeliveryTable, ReplayNotes } from "../../app/ports.js";
import { deliveryExpiresAt, hasExpired } from "../../core/expiry.js";
import type { Delivery } from "../../core/model.js";
import { indexChanges } from "../aws/delivery-item.js";
import { MemoryIndexes } from "./memory-index.js";

/** Deliveries in memory, with the table's one rule: a write replaces exactly what was read. */
export class MemoryDeliveryTable implements DeliveryTable, ReplayNotes {
  readonly deliveries = new Map<string, Delivery>();
  readonly indexes = new MemoryIndexes();

  constructor(private readonly options: { readonly now: Clock; readonly retentionDays: number }) {}

  async findDelivery(deliveryId: string): Promise<Delivery | null> {
    return this.current(deliveryId);
  }

  async findDeliveries(deliveryIds: readonly string[]): Promise<readonly Delivery[]> {
    return deliveryIds.flatMap((id) => this.current(id) ?? []);
  }

  async replaceDelivery(previous: Delivery | null, next: Delivery): Promise<boolean> {
    const current = this.current(next.deliveryId);
    if (!isStill(current, previous)) return false;
    this.deliveries.set(next.deliveryId, withReplays(next, current?.replayedAs));
    this.indexes.change(next.deliveryId, indexChanges(previous, next));
    return true;
  }

  async noteReplay(original: Delivery, replayId: string): Promise<boolean> {
    const current = this.current(original.deliveryId);
    const { replayedAs: known = [] } = original;
    if (known.includes(replayId)) return true;
    if (!isStill(current, original) || current === null || (current.replayedAs ?? []).length !== known.length)
      return false;
    this.deliveries.set(original.deliveryId, withReplays(current, [...known, replayId]));
    return true;
  }

  private current(deliveryId: string): Delivery | null {
    const delivery = this.deliveries.get(deliveryId);
    if (delivery === undefined) return null;
    const expiresAt = deliveryExpiresAt(delivery, this.options.retentionDays);
    return hasExpired(expiresAt, this.options.now()) ? null : delivery;
  }
}

/** A write never touches what was noted of replays. */
function withReplays({ replayedAs: _given, ...delivery }: Delivery, known: readonly string[] | undefined): Delivery {
  return known === undefined ? delivery : { ...delivery, replayedAs: known };
}

function isStill(stored: Delivery | null, previous: Delivery | null): boolean {
  if (stored === null || previous === null) return stored === previous;
  return (
    stored.status === previous.status &&
    stored.attemptsStarted === previous.attemptsStarted &&
    stored.claim?.token === previous.claim?.token
  );
}
