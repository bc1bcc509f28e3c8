import { resolveSubscription } from "../../app/admin/definitions.js";
import type { SubscriptionSettings } from "../../app/ports.js";
import type { Subscription } from "../../core/model.js";
import type { SystemDefaults } from "../../shared/env.js";
import { ReadCache } from "./config-cache.js";
import { subscriptionFromItem } from "./config-items.js";
import { readItem, type TimedTable } from "./config-reads.js";
import { subscriptionKey } from "./keys.js";

/** A change of a subscription shows in its ticks within this time. */
const maxAgeMs = 10_000;
const mostSubscriptions = 1_000;

/** Subscriptions one by one and without their secrets, tombstones included. */
export class CachedSubscriptionSettings implements SubscriptionSettings {
  private readonly cache: ReadCache<Subscription>;

  constructor(table: TimedTable, defaults: SystemDefaults) {
    this.cache = new ReadCache({
      maxAgeMs,
      maxEntries: mostSubscriptions,
      now: table.now,
      read: async (key) => {
        const [sourceId = "", subscriptionId = ""] = key.split("/");
        const item = await readItem(table, subscriptionKey(sourceId, subscriptionId));
        return item === null ? null : resolveSubscription(subscriptionFromItem(item).record, defaults);
      },
    });
  }

  find(
    sourceId: string,
    subscriptionId: string,
    { atLeastVersion = 0 }: { readonly atLeastVersion?: number } = {},
  ): Promise<Subscription | null> {
    return this.cache.get(`${sourceId}/${subscriptionId}`, ({ version }) => version >= atLeastVersion);
  }
}
