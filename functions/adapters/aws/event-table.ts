import type { EventErasure } from "../../app/admin/ports.js";
import type { Clock, ContentRef, EventTable, StoredEvent } from "../../app/ports.js";
import { erasedSha256 } from "../../core/erasure.js";
import { eventExpiresAt } from "../../core/expiry.js";
import type { EventMeta } from "../../core/model.js";
import type { ItemChanges } from "./delivery-item.js";
import { itemVersion, requireKnownVersion } from "./item-version.js";
import { absentOrExpired, changeItem, getItem, type Item, isExpired, type Table } from "./items.js";
import { eventKey, shardOf, statePartition, timeKey } from "./keys.js";

/** Events in DynamoDB. An event is written once; later steps never rewrite its content. */
export class DynamoEventTable implements EventTable, EventErasure {
  constructor(
    private readonly table: Table,
    private readonly options: { readonly now: Clock; readonly retentionDays: number },
  ) {}

  async findEvent(eventId: string): Promise<StoredEvent | null> {
    const item = await getItem(this.table, eventKey(eventId));
    return item === null || isExpired(item, this.options.now()) ? null : eventFromItem(item);
  }

  async storeEvent(stored: StoredEvent): Promise<StoredEvent> {
    const { eventId } = stored.event;
    const changes = eventChanges(stored, this.options.retentionDays);
    if (await changeItem(this.table, eventKey(eventId), changes, absentOrExpired(this.options.now()))) return stored;
    const existing = await this.findEvent(eventId);
    if (existing === null) throw new Error(`event ${eventId} vanished between a write and a read`);
    return existing;
  }

  async eraseEvent(eventId: string, erasedAtMs: number): Promise<void> {
    const changes = {
      ...{ content: undefined, contentKey: undefined, sealed: undefined },
      ...{ suffix: "", query: "", bodySha256: Buffer.from(erasedSha256, "hex"), erasedAtMs },
    };
    await changeItem(this.table, eventKey(eventId), changes, { expression: "attribute_exists(pk)" });
  }

  async addSubscription(eventId: string, subscriptionId: string): Promise<void> {
    const existing = await this.findEvent(eventId);
    if (existing === null || existing.subscriptionIds.includes(subscriptionId)) return;
    const subscriptionIds = [...existing.subscriptionIds, subscriptionId];
    const changes = { subscriptionIds, ...undeliveredKeys({ ...existing, subscriptionIds }) };
    // The list only grows: the same length is the same list.
    const unchanged = {
      expression: "size(#subscriptionIds) = :known",
      values: { ":known": existing.subscriptionIds.length },
    };
    if (!(await changeItem(this.table, eventKey(eventId), changes, unchanged))) {
      await this.addSubscription(eventId, subscriptionId);
    }
  }
}

function eventChanges(stored: StoredEvent, retentionDays: number): ItemChanges {
  return {
    ...eventAttributes(stored),
    subscriptionIds: stored.subscriptionIds,
    ...undeliveredKeys(stored),
    expiresAt: eventExpiresAt(stored.event.receivedAtMs, retentionDays),
  };
}

/** What every event's item has, whatever became of it. */
export function eventAttributes({ event: given, content }: Pick<StoredEvent, "event" | "content">): ItemChanges {
  const { eventId: _inTheKey, bodySha256, ...event } = given;
  return {
    v: itemVersion,
    ...Object.fromEntries(Object.entries(event).map(([name, value]) => [name, value ?? undefined])),
    bodySha256: Buffer.from(bodySha256, "hex"),
    content: content.at === "inline" ? content.packed : undefined,
    contentKey: content.at === "bucket" ? content.key : undefined,
  };
}

/** An event that went to nobody is listed under its source. */
function undeliveredKeys({ event, subscriptionIds }: StoredEvent): ItemChanges {
  if (subscriptionIds.length > 0) return { spk: undefined, ssk: undefined };
  return {
    spk: statePartition(event.sourceId, "undelivered", shardOf(event.eventId)),
    ssk: timeKey(event.receivedAtMs, event.eventId),
  };
}

/**
 * Reads an event item back.
 *
 * @throws {UnknownItemVersionError} for one that only a later version can read.
 */
export function eventFromItem(item: Item): StoredEvent {
  requireKnownVersion(item);
  const optional = (name: string) => (item[name] ?? null) as string | null;
  const event: EventMeta = {
    eventId: (item["pk"] as string).slice(eventKey("").pk.length),
    sourceId: item["sourceId"] as string,
    method: item["method"] as string,
    suffix: item["suffix"] as string,
    query: item["query"] as string,
    type: optional("type"),
    receivedAtMs: item["receivedAtMs"] as number,
    bodySha256: Buffer.from(item["bodySha256"] as Uint8Array).toString("hex"),
    bodyBytes: item["bodyBytes"] as number,
    verifiedBy: optional("verifiedBy"),
    dedupeKey: optional("dedupeKey"),
    ...present(item, "dedupeMissed"),
    ...present(item, "releasedFrom"),
  };
  const subscriptionIds = (item["subscriptionIds"] ?? []) as readonly string[];
  return {
    event,
    content: contentOf(item),
    subscriptionIds,
    ...present(item, "quarantine"),
    ...present(item, "erasedAtMs"),
  };
}

/** An attribute that few items have, under its own name. */
function present<Name extends string>(item: Item, name: Name): { readonly [Each in Name]?: never } {
  return item[name] === undefined ? {} : ({ [name]: item[name] } as { readonly [Each in Name]: never });
}

function contentOf(item: Item): ContentRef {
  const packed = item["content"];
  if (packed instanceof Uint8Array) return { at: "inline", packed: Buffer.from(packed) };
  // Of an erased event there is neither: a key under which nothing lies.
  return { at: "bucket", key: (item["contentKey"] ?? `erased/${item["pk"]}`) as string };
}
