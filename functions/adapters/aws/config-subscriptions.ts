import { UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import { newGate, type SubscriptionRecord } from "../../app/admin/definitions.js";
import type { GatedSubscription, Page, PageRequest, SecretValues, SubscriptionStore } from "../../app/admin/ports.js";
import { tombstoneExpiresAt } from "../../core/expiry.js";
import type { Gate } from "../../core/model.js";
import { sealedNames } from "../../core/sealed-secrets.js";
import { type Stored, subscriptionFields, subscriptionFromItem, subscriptionItem } from "./config-items.js";
import { SubscriptionNames } from "./config-names.js";
import { readItem, subscriptionPages } from "./config-reads.js";
import { isLive } from "./config-sources.js";
import { type ConfigReader, openSealed } from "./config-table.js";
import { absent, deleteItem, putItem, stillHas } from "./config-writes.js";
import { endedNames, endOfGeneration, gateChanges, gateFromItem, gateItem, unmoved } from "./gate-item.js";
import { changeItem, getItems, type Item } from "./items.js";
import { gateKey, sourceKey, subscriptionKey } from "./keys.js";

/**
 * Subscriptions as the admin API changes them. Several items belong to one: a claim of its name, the gate and the
 * subscription itself, written in this order, each by one conditional write. A crash in between leaves a name that is
 * taken over later or a gate that nothing refers to; the subscription exists from its own item on.
 */
export class TableSubscriptionStore implements SubscriptionStore {
  private readonly names: SubscriptionNames;

  constructor(
    private readonly table: ConfigReader,
    private readonly retentionDays: number,
  ) {
    this.names = new SubscriptionNames(table);
  }

  async findSubscription(subscriptionId: string): Promise<GatedSubscription | null> {
    const item = await readItem(this.table, gateKey(subscriptionId));
    if (item === null) return null;
    const gate = gateFromItem(item);
    const stored = await this.read(gate.sourceId, subscriptionId);
    return stored === null || stored.record.deletedAtMs !== null ? null : { record: stored.record, gate };
  }

  async findNamed(sourceId: string, name: string): Promise<GatedSubscription | null> {
    const holder = await this.names.holder(sourceId, name);
    const found = holder === null ? null : await this.findSubscription(holder.subscriptionId);
    // A claim may be ahead of its subscription, or left behind by it: what the subscription says decides.
    return found !== null && found.record.name === name ? found : null;
  }

  async openSecrets(record: SubscriptionRecord): Promise<SecretValues> {
    const stored = await this.read(record.sourceId, record.subscriptionId);
    return openSealed(this.table.vault, record.subscriptionId, sealedNames(record), stored?.sealed ?? null);
  }

  async listSubscriptions(sourceId: string, page: PageRequest): Promise<Page<GatedSubscription>> {
    const { items, more } = await this.liveItems(sourceId, page);
    const records = items.map((item) => subscriptionFromItem(item).record);
    const gates = await this.gatesOf(records);
    return {
      items: records.flatMap((record) => {
        const gate = gates.get(record.subscriptionId);
        return gate === undefined ? [] : [{ record, gate }];
      }),
      after: more ? (records.at(-1)?.subscriptionId ?? null) : null,
    };
  }

  async createSubscription(
    record: SubscriptionRecord,
    secrets: SecretValues,
  ): Promise<"created" | "name_taken" | "source_missing"> {
    const sealed = await this.seal(record, secrets);
    if (!(await this.names.claim(record, record.createdAtMs))) return "name_taken";
    // Ids are fresh: an item that is there already was written by this very call, whose answer was lost.
    await putItem(this.table, gateItem(newGate(record)), absent);
    await putItem(this.table, subscriptionItem(record, sealed), absent);
    if ((await readItem(this.table, sourceKey(record.sourceId))) !== null) return "created";
    // The source was deleted while its new subscription was being written: nobody has seen it yet.
    await this.undoCreate(record);
    return "source_missing";
  }

  async replaceSubscription(
    previous: SubscriptionRecord,
    next: SubscriptionRecord,
    secrets: SecretValues | null,
  ): Promise<"replaced" | "changed" | "name_taken"> {
    const renamed = previous.name !== next.name;
    const sealed = secrets === null ? {} : { sealed: (await this.seal(next, secrets)) ?? undefined };
    const old = renamed ? await this.claimOf(previous) : null;
    if (renamed && !(await this.names.claim(next, next.updatedAtMs))) return "name_taken";
    // The new name stays claimed when the change failed: the same rename may have been made by who changed it. If
    // nothing stands behind the claim, the next one to want the name takes it over.
    if (!(await this.change(previous, { ...subscriptionFields(next), ...sealed }))) return "changed";
    if (old !== null) await this.names.release(previous.sourceId, old.name, old.claim);
    return "replaced";
  }

  moveGate(previous: Gate, next: Gate): Promise<boolean> {
    return changeItem(this.table, gateKey(previous.subscriptionId), gateChanges(previous, next), unmoved(previous));
  }

  async deleteSubscription(record: SubscriptionRecord, nowMs: number): Promise<boolean> {
    const expiresAt = tombstoneExpiresAt(nowMs, this.retentionDays);
    const emptied = { url: "", secrets: [], headers: null, tls: null, sealed: undefined };
    const tombstone = { ...emptied, deletedAtMs: nowMs, updatedAtMs: nowMs, version: record.version + 1 };
    if (!(await this.change(record, { ...tombstone, expiresAt }))) return false;
    await this.closeGate(record.subscriptionId, nowMs, expiresAt);
    await this.releaseName(record);
    return true;
  }

  async subscriptionIds(sourceId: string, limit: number): Promise<readonly string[]> {
    const ids: string[] = [];
    for await (const items of subscriptionPages(this.table, sourceId)) {
      ids.push(...items.map((item) => item["subscriptionId"] as string));
      if (ids.length >= limit) break;
    }
    return ids.slice(0, limit);
  }

  private async read(sourceId: string, subscriptionId: string): Promise<Stored<SubscriptionRecord> | null> {
    const item = await readItem(this.table, subscriptionKey(sourceId, subscriptionId));
    return item === null ? null : subscriptionFromItem(item);
  }

  private async liveItems(sourceId: string, { after, limit }: PageRequest): Promise<{ items: Item[]; more: boolean }> {
    const live: Item[] = [];
    for await (const items of subscriptionPages(this.table, sourceId, after)) {
      live.push(...items.filter(isLive));
      if (live.length > limit) break;
    }
    return { items: live.slice(0, limit), more: live.length > limit };
  }

  private async gatesOf(records: readonly SubscriptionRecord[]): Promise<ReadonlyMap<string, Gate>> {
    const items = await getItems(
      this.table,
      records.map(({ subscriptionId }) => gateKey(subscriptionId)),
    );
    return new Map(items.map(gateFromItem).map((gate) => [gate.subscriptionId, gate]));
  }

  private async undoCreate(record: SubscriptionRecord): Promise<void> {
    await deleteItem(this.table, subscriptionKey(record.sourceId, record.subscriptionId));
    await deleteItem(this.table, gateKey(record.subscriptionId));
    await this.releaseName(record);
  }

  private async releaseName(record: SubscriptionRecord): Promise<void> {
    const held = await this.claimOf(record);
    if (held !== null) await this.names.release(record.sourceId, held.name, held.claim);
  }

  /** The claim by which a subscription holds its name; null when it has none. */
  private async claimOf({ sourceId, subscriptionId, name }: SubscriptionRecord) {
    const claim = name === null ? null : await this.names.holder(sourceId, name);
    return name === null || claim?.subscriptionId !== subscriptionId ? null : { name, claim };
  }

  private change(record: SubscriptionRecord, changes: Item): Promise<boolean> {
    const key = subscriptionKey(record.sourceId, record.subscriptionId);
    return changeItem(this.table, key, changes, stillHas({ version: record.version }));
  }

  private async seal(record: SubscriptionRecord, secrets: SecretValues): Promise<Buffer | null> {
    return sealedNames(record).length === 0 ? null : this.table.vault.seal(record.subscriptionId, secrets);
  }

  private async closeGate(subscriptionId: string, nowMs: number, expiresAt: number): Promise<void> {
    await this.table.client().send(
      new UpdateItemCommand({
        TableName: this.table.tableName,
        Key: marshall(gateKey(subscriptionId)),
        UpdateExpression:
          "SET #status = :disabled, statusReason = :deleted, generation = generation + :one, " +
          `updatedAtMs = :now, expiresAt = :expiresAt ${endOfGeneration}`,
        ExpressionAttributeNames: { "#status": "status", ...endedNames },
        ExpressionAttributeValues: marshall({
          ":disabled": "disabled",
          ":deleted": "deleted",
          ":one": 1,
          ":now": nowMs,
          ":expiresAt": expiresAt,
        }),
      }),
    );
  }
}
