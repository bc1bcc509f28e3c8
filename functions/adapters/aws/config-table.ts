import { resolveSubscription, type SubscriptionRecord } from "../../app/admin/definitions.js";
import type { OpenSource, OpenSubscription, SourceConfigs, SubscriptionConfigs } from "../../app/ports.js";
import type { Source, Subscription } from "../../core/model.js";
import { openedParts, openedSource, sealedNames, sourceSecretNames } from "../../core/sealed-secrets.js";
import type { SystemDefaults } from "../../shared/env.js";
import { ReadCache } from "./config-cache.js";
import { type Stored, sourceFromItem, subscriptionFromItem } from "./config-items.js";
import { readItem, subscriptionPages, type TimedTable } from "./config-reads.js";
import type { Item } from "./items.js";
import { sourceKey } from "./keys.js";
import type { SecretValues, Vault } from "./vault.js";

/** The read side of the configuration, as ingress and delivery use it. */

/** A change of a source or a subscription shows everywhere within this time. */
const configMaxAgeMs = 10_000;
/** Entries in memory; a source's list of subscriptions can be large. */
const mostSources = 1_000;

export interface ConfigReader extends TimedTable {
  readonly vault: Vault;
}

/** Sources with their secrets opened, at most 10 s old; absence is never remembered. */
export class CachedSourceConfigs implements SourceConfigs {
  private readonly cache: ReadCache<OpenSource>;

  constructor(private readonly reader: ConfigReader) {
    const { now } = reader;
    const read = this.read.bind(this);
    this.cache = new ReadCache({ maxAgeMs: configMaxAgeMs, maxEntries: mostSources, now, read });
  }

  find(sourceId: string): Promise<OpenSource | null> {
    return this.cache.get(sourceId);
  }

  private async read(sourceId: string): Promise<OpenSource | null> {
    const item = await readItem(this.reader, sourceKey(sourceId));
    if (item === null) return null;
    const { record, sealed } = sourceFromItem(item);
    return openSource(this.reader.vault, record, sealed);
  }
}

interface StoredSubscription extends Stored<SubscriptionRecord> {
  readonly subscription: Subscription;
}

/** A source's subscriptions, completed with the system's defaults, at most 10 s old. */
export class CachedSubscriptionConfigs implements SubscriptionConfigs {
  private readonly cache: ReadCache<readonly StoredSubscription[]>;

  constructor(
    private readonly reader: ConfigReader,
    private readonly defaults: SystemDefaults,
  ) {
    const { now } = reader;
    const read = this.read.bind(this);
    this.cache = new ReadCache({ maxAgeMs: configMaxAgeMs, maxEntries: mostSources, now, read });
  }

  async ofSource(sourceId: string, options: { readonly fresh?: boolean } = {}): Promise<readonly Subscription[]> {
    const stored = await (options.fresh === true ? this.cache.fresh(sourceId) : this.cache.get(sourceId));
    return (stored ?? []).map(({ subscription }) => subscription);
  }

  async open(
    sourceId: string,
    subscriptionId: string,
    { atLeastVersion = 0 }: { readonly atLeastVersion?: number } = {},
  ): Promise<OpenSubscription | null> {
    const isIt = ({ record }: StoredSubscription) => record.subscriptionId === subscriptionId;
    const isKnown = (each: StoredSubscription) => isIt(each) && each.record.version >= atLeastVersion;
    const found = (await this.cache.get(sourceId, (stored) => stored.some(isKnown)))?.find(isIt);
    if (found === undefined) return null;
    const { subscription, sealed } = found;
    const values = await openSealed(this.reader.vault, subscriptionId, sealedNames(subscription), sealed);
    // A secret's end is held against the time of each use: the cached subscription may be older than it.
    return { ...subscription, ...openedParts(subscription, values, this.reader.now()) };
  }

  private async read(sourceId: string): Promise<readonly StoredSubscription[] | null> {
    const found: StoredSubscription[] = [];
    for await (const items of subscriptionPages(this.reader, sourceId)) {
      found.push(...items.map((item) => this.resolve(item)));
    }
    // A source without subscriptions is absence too: the first one must be seen at once.
    return found.length === 0 ? null : found;
  }

  private resolve(item: Item): StoredSubscription {
    const stored = subscriptionFromItem(item);
    return { ...stored, subscription: resolveSubscription(stored.record, this.defaults) };
  }
}

/** A source with its secrets opened. */
export async function openSource(vault: Vault, source: Source, sealed: Buffer | null): Promise<OpenSource> {
  const values = await openSealed(vault, source.sourceId, sourceSecretNames(source), sealed);
  return { ...source, ...openedSource(source, values) };
}

/** The values that are sealed under these names, in their order; what is not there is left out. */
export async function openSealed(
  vault: Vault,
  ownerId: string,
  names: readonly string[],
  sealed: Buffer | null,
): Promise<SecretValues> {
  if (sealed === null || names.length === 0) return {};
  const values = await vault.unseal(ownerId, sealed);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = values[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
