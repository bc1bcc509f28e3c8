import type { SubscriptionRecord } from "../../app/admin/definitions.js";
import { type NameClaim, nameFromItem, nameItem, subscriptionFromItem } from "./config-items.js";
import { readItem, type TimedTable } from "./config-reads.js";
import { absent, deleteItem, putItem, stillHas } from "./config-writes.js";
import { subscriptionKey, subscriptionNameKey } from "./keys.js";

/**
 * A claim younger than this may belong to a creation that is still under way (an HTTP API cuts a request off after
 * 30 s): it is respected although nothing stands behind it yet.
 */
const graceMs = 60_000;

type Named = Pick<SubscriptionRecord, "sourceId" | "subscriptionId" | "name">;

/** Names that are unique within their source, each held by an item of its own. */
export class SubscriptionNames {
  constructor(private readonly table: TimedTable) {}

  /** True: the name is this subscription's now, or it has none. A claim that nothing stands behind is taken over. */
  async claim({ sourceId, subscriptionId, name }: Named, nowMs: number): Promise<boolean> {
    if (name === null) return true;
    const claim: NameClaim = { subscriptionId, claimedAtMs: nowMs };
    if (await this.put(sourceId, name, claim, null)) return true;
    const item = await readItem(this.table, subscriptionNameKey(sourceId, name));
    if (item === null) return this.put(sourceId, name, claim, null);
    const held = nameFromItem(item);
    if (held.subscriptionId !== subscriptionId && (await this.isInUse(sourceId, name, held, nowMs))) return false;
    return this.put(sourceId, name, claim, held);
  }

  /** Gives the name up if this subscription still holds it. */
  async release({ sourceId, subscriptionId, name }: Named): Promise<void> {
    if (name === null) return;
    await deleteItem(this.table, subscriptionNameKey(sourceId, name), stillHas({ subscriptionId }));
  }

  private async isInUse(sourceId: string, name: string, held: NameClaim, nowMs: number): Promise<boolean> {
    const item = await readItem(this.table, subscriptionKey(sourceId, held.subscriptionId));
    const holder = item === null ? null : subscriptionFromItem(item).record;
    if (holder !== null && holder.deletedAtMs === null && holder.name === name) return true;
    return holder?.deletedAtMs == null && nowMs - held.claimedAtMs < graceMs;
  }

  private put(sourceId: string, name: string, claim: NameClaim, held: NameClaim | null): Promise<boolean> {
    const item = nameItem(subscriptionNameKey(sourceId, name), claim);
    return putItem(this.table, item, held === null ? absent : stillHas({ ...held }));
  }
}
