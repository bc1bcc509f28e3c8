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
    const held = await this.holder(sourceId, name);
    if (held === null) return this.put(sourceId, name, claim, null);
    if (held.subscriptionId !== subscriptionId && (await this.isInUse(sourceId, name, held, nowMs))) return false;
    return this.put(sourceId, name, claim, held);
  }

  /** Who claimed a name; null: nobody. */
  async holder(sourceId: string, name: string): Promise<NameClaim | null> {
    const item = await readItem(this.table, subscriptionNameKey(sourceId, name));
    return item === null ? null : nameFromItem(item);
  }

  /**
   * Gives the name up if it is still held by this very claim: a subscription that got its old name back meanwhile holds
   * it by another.
   */
  async release(sourceId: string, name: string, { subscriptionId, claimedAtMs }: NameClaim): Promise<void> {
    await deleteItem(this.table, subscriptionNameKey(sourceId, name), stillHas({ subscriptionId, claimedAtMs }));
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
