import type { Clock, DeliveryTable, ReplayNotes } from "../../app/ports.js";
import type { Delivery } from "../../core/model.js";
import { deliveryChanges, deliveryFromItem } from "./delivery-item.js";
import { isKnownVersion } from "./item-version.js";
import { absentOrExpired, type Condition, changeItem, getItem, getItems, isExpired, type Table } from "./items.js";
import { deliveryKey } from "./keys.js";

/** Deliveries in DynamoDB: every transition is one conditional write of one item. */
export class DynamoDeliveryTable implements DeliveryTable, ReplayNotes {
  constructor(
    private readonly table: Table,
    private readonly options: { readonly now: Clock; readonly retentionDays: number },
  ) {}

  async findDelivery(deliveryId: string): Promise<Delivery | null> {
    const item = await getItem(this.table, deliveryKey(deliveryId));
    return item === null || isExpired(item, this.options.now()) ? null : deliveryFromItem(item);
  }

  async findDeliveries(deliveryIds: readonly string[]): Promise<readonly Delivery[]> {
    const items = await getItems(this.table, deliveryIds.map(deliveryKey));
    const readable = items.filter((item) => !isExpired(item, this.options.now()) && isKnownVersion(item));
    return readable.map(deliveryFromItem);
  }

  async replaceDelivery(previous: Delivery | null, next: Delivery): Promise<boolean> {
    const changes = deliveryChanges(previous, next, this.options.retentionDays);
    const when = previous === null ? absentOrExpired(this.options.now()) : still(previous);
    return changeItem(this.table, deliveryKey(next.deliveryId), changes, when);
  }

  async noteReplay(original: Delivery, replayId: string): Promise<boolean> {
    const known = original.replayedAs ?? [];
    if (known.includes(replayId)) return true;
    const changes = { replayedAs: [...known, replayId] };
    return changeItem(this.table, deliveryKey(original.deliveryId), changes, knownReplays(original));
  }
}

/** The list only grows: the same length is the same list. */
function knownReplays(original: Delivery): Condition {
  const { expression, values } = still(original);
  const { replayedAs } = original;
  return {
    expression: `${expression} AND ${replayedAs === undefined ? "attribute_not_exists(#replayedAs)" : "size(#replayedAs) = :known"}`,
    names: { "#status": "status", "#attemptsStarted": "attemptsStarted", "#token": "token" },
    values: { ...values, ...(replayedAs === undefined ? {} : { ":known": replayedAs.length }) },
  };
}

/** The stored delivery is where it was: no other step has been made since `previous` was read. */
function still(previous: Delivery): Condition {
  const token = previous.claim?.token;
  return {
    expression: `#status = :was AND #attemptsStarted = :started AND ${
      token === undefined ? "attribute_not_exists(#token)" : "#token = :heldToken"
    }`,
    values: {
      ":was": previous.status,
      ":started": previous.attemptsStarted,
      ...(token === undefined ? {} : { ":heldToken": token }),
    },
  };
}
