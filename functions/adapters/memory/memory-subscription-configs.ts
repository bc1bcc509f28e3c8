import { resolveSubscription, type SubscriptionRecord } from "../../app/admin/definitions.js";
import type { OpenSubscription, SubscriptionConfigs } from "../../app/ports.js";
import type { Subscription } from "../../core/model.js";
import { openedParts } from "../../core/sealed-secrets.js";
import type { SystemDefaults } from "../../shared/env.js";
import { ReadCache } from "../aws/config-cache.js";
import type { Configured, MemoryConfig } from "./memory-config.js";

/** A source's subscriptions as delivery reads them: as stale as they may be, so that a simulation meets it. */
export class MemorySubscriptionConfigs implements SubscriptionConfigs {
  private readonly cache: ReadCache<readonly Configured<SubscriptionRecord>[]>;
  /** By record: a record is never changed, but replaced. */
  private readonly resolved = new WeakMap<SubscriptionRecord, Subscription>();

  constructor(
    private readonly config: MemoryConfig,
    private readonly defaults: SystemDefaults,
  ) {
    const read = async (sourceId: string) => {
      const found = config.subscriptionsOf(sourceId);
      return found.length === 0 ? null : found;
    };
    this.cache = new ReadCache({ maxAgeMs: 10_000, maxEntries: 1_000, now: config.now, read });
  }

  async ofSource(sourceId: string, options: { readonly fresh?: boolean } = {}): Promise<readonly Subscription[]> {
    const found = await (options.fresh === true ? this.cache.fresh(sourceId) : this.cache.get(sourceId));
    return (found ?? []).map(({ record }) => this.resolve(record));
  }

  async open(
    sourceId: string,
    subscriptionId: string,
    { atLeastVersion = 0 }: { readonly atLeastVersion?: number } = {},
  ): Promise<OpenSubscription | null> {
    const isIt = ({ record }: Configured<SubscriptionRecord>) => record.subscriptionId === subscriptionId;
    const isKnown = (each: Configured<SubscriptionRecord>) => isIt(each) && each.record.version >= atLeastVersion;
    const found = (await this.cache.get(sourceId, (stored) => stored.some(isKnown)))?.find(isIt);
    if (found === undefined) return null;
    const subscription = this.resolve(found.record);
    return { ...subscription, ...openedParts(subscription, found.secrets, this.config.now()) };
  }

  private resolve(record: SubscriptionRecord): Subscription {
    const known = this.resolved.get(record);
    if (known !== undefined) return known;
    const subscription = resolveSubscription(record, this.defaults);
    this.resolved.set(record, subscription);
    return subscription;
  }
}
