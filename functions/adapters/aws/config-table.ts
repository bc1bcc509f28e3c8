import { UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import { resolveSubscription, type SubscriptionRecord } from "../../app/admin/definitions.js";
import type { Gates, OpenSource, OpenSubscription, SourceConfigs, SubscriptionConfigs } from "../../app/ports.js";
import { slowForMs } from "../../core/gate.js";
import type { Gate, SecretRef, Subscription } from "../../core/model.js";
import { openedParts, sealedNames } from "../../core/sealed-secrets.js";
import type { SystemDefaults } from "../../shared/env.js";
import { tableLayout } from "../../shared/table-layout.js";
import { ReadCache } from "./config-cache.js";
import { gateFromItem, type Stored, sourceFromItem, subscriptionFromItem } from "./config-items.js";
import { readItem, subscriptionPages, type TimedTable } from "./config-reads.js";
import { applies } from "./config-writes.js";
import { sweepGraceMs } from "./delivery-item.js";
import { changeItem, type Item } from "./items.js";
import { duePartition, gateKey, shardOf, sourceKey, timeKey } from "./keys.js";
import { SlowMemory } from "./slow-memory.js";
import type { SecretValues, Vault } from "./vault.js";

const { due } = tableLayout.indexes;

/** The read side of the configuration, as ingress and delivery use it. */

/** A change of a source or a subscription shows everywhere within this time. */
const configMaxAgeMs = 10_000;
/** A paused, disabled or opened gate is noticed within this time. */
const gateMaxAgeMs = 1_000;
/** Entries in memory; a subscription's gate is small, a source's list of subscriptions can be large. */
const mostSources = 1_000;
const mostGates = 10_000;

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
    return { ...record, secretValues: await openSecrets(this.reader.vault, sourceId, record.secrets, sealed) };
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

  async open(sourceId: string, subscriptionId: string): Promise<OpenSubscription | null> {
    const isIt = ({ record }: StoredSubscription) => record.subscriptionId === subscriptionId;
    const found =
      (await this.cache.get(sourceId))?.find(isIt) ?? (await this.cache.fresh(sourceId))?.find(isIt) ?? null;
    if (found === null) return null;
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

/** Gates, at most 1 s old. */
export class CachedGates implements Gates {
  private readonly cache: ReadCache<Gate>;
  private readonly slow = new SlowMemory();

  constructor(private readonly table: TimedTable) {
    const read = this.read.bind(this);
    this.cache = new ReadCache({ maxAgeMs: gateMaxAgeMs, maxEntries: mostGates, now: table.now, read });
  }

  private async read(subscriptionId: string): Promise<Gate | null> {
    const item = await readItem(this.table, gateKey(subscriptionId));
    if (item === null) return null;
    const gate = gateFromItem(item);
    this.slow.learn(subscriptionId, gate);
    return gate;
  }

  find(subscriptionId: string, options: { readonly fresh?: boolean } = {}): Promise<Gate | null> {
    return options.fresh === true ? this.cache.fresh(subscriptionId) : this.cache.get(subscriptionId);
  }

  async disable(subscriptionId: string, reason: string, nowMs: number): Promise<void> {
    await applies(this.table.client().send(disableUpdate(this.table.tableName, subscriptionId, reason, nowMs)));
    this.cache.forget(subscriptionId);
  }

  async noteParked(subscriptionId: string, nowMs: number): Promise<void> {
    if ((await this.cache.get(subscriptionId))?.holdsParked === true) return;
    const entry = {
      [due.partitionKey]: duePartition("DUE", shardOf(subscriptionId)),
      [due.sortKey]: timeKey(nowMs + sweepGraceMs, subscriptionId),
    };
    const notYet = { expression: `attribute_exists(pk) AND attribute_not_exists(${due.partitionKey})` };
    await changeItem(this.table, gateKey(subscriptionId), entry, notYet);
    this.cache.forget(subscriptionId);
  }

  async noteSlow(subscriptionId: string, nowMs: number): Promise<void> {
    if (!this.slow.isWorthNoting(subscriptionId, nowMs)) return;
    const slowUntilMs = nowMs + slowForMs;
    // Known before it is written: the attempts of a batch hang together, and one of them notes it.
    this.slow.learn(subscriptionId, { slowUntilMs });
    const notYet = {
      expression: "attribute_exists(pk) AND (attribute_not_exists(slowUntilMs) OR slowUntilMs <= :worthUntil)",
      values: { ":worthUntil": slowUntilMs - slowForMs / 2 },
    };
    try {
      await changeItem(this.table, gateKey(subscriptionId), { slowUntilMs }, notYet);
    } catch (error) {
      this.slow.forget(subscriptionId);
      throw error;
    }
    this.cache.forget(subscriptionId);
  }

  async knownSlow(subscriptionId: string): Promise<boolean> {
    return this.slow.isSlow(subscriptionId, this.table.now());
  }

  async clearParked({ subscriptionId, generation }: Gate): Promise<void> {
    const offTheList = { [due.partitionKey]: undefined, [due.sortKey]: undefined };
    const unmoved = { expression: "generation = :generation", values: { ":generation": generation } };
    await changeItem(this.table, gateKey(subscriptionId), offTheList, unmoved);
    this.cache.forget(subscriptionId);
  }
}

/** Only an active gate is disabled: a paused or deleted one keeps its reason, and a second 410 changes nothing. */
const disableUpdate = (tableName: string, subscriptionId: string, reason: string, nowMs: number) =>
  new UpdateItemCommand({
    TableName: tableName,
    Key: marshall(gateKey(subscriptionId)),
    UpdateExpression:
      "SET #status = :disabled, statusReason = :reason, generation = generation + :one, updatedAtMs = :now",
    ConditionExpression: "#status = :active",
    ExpressionAttributeNames: { "#status": "status" },
    ExpressionAttributeValues: marshall({
      ":disabled": "disabled",
      ":active": "active",
      ":reason": reason,
      ":one": 1,
      ":now": nowMs,
    }),
  });

/** The values of the listed secrets, in their order. */
export async function openSecrets(
  vault: Vault,
  ownerId: string,
  secrets: readonly SecretRef[],
  sealed: Buffer | null,
): Promise<OpenSource["secretValues"]> {
  const names = secrets.map(({ id }) => id);
  const values = await openSealed(vault, ownerId, names, sealed);
  return Object.entries(values).map(([id, value]) => ({ id, value }));
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
