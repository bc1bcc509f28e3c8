import { DeleteItemCommand, PutItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import type { SubscriptionRecord } from "../../app/admin/definitions.js";
import type { GatedSubscription, Page, PageRequest, SecretValues, SubscriptionStore } from "../../app/admin/ports.js";
import type { Gate } from "../../core/model.js";
import { applies, updateExpression } from "./config-expression.js";
import {
  gateFromItem,
  gateItem,
  type Item,
  type Stored,
  subscriptionFields,
  subscriptionFromItem,
  subscriptionItem,
} from "./config-items.js";
import { SubscriptionNames } from "./config-names.js";
import { readItem, readItems, subscriptionPages } from "./config-reads.js";
import { isLive } from "./config-sources.js";
import { type ConfigReader, openSecrets } from "./config-table.js";
import { gateKey, sourceKey, subscriptionKey } from "./keys.js";

/** Days that a tombstone outlives the deliveries of its subscription: as long as their events and bodies do. */
const tombstoneExtraDays = 7;
const dayMs = 86_400_000;

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
    const item = await readItem(this.table, gateKey(subscriptionId), this.table.now(), true);
    if (item === null) return null;
    const gate = gateFromItem(item);
    const stored = await this.read(gate.sourceId, subscriptionId);
    return stored === null || stored.record.deletedAtMs !== null ? null : { record: stored.record, gate };
  }

  async openSecrets(record: SubscriptionRecord): Promise<SecretValues> {
    const stored = await this.read(record.sourceId, record.subscriptionId);
    const values = await openSecrets(
      this.table.vault,
      record.subscriptionId,
      record.secrets,
      stored === null ? null : stored.sealed,
    );
    return Object.fromEntries(values.map(({ id, value }) => [id, value]));
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
    const sealed = record.secrets.length === 0 ? null : await this.table.vault.seal(record.subscriptionId, secrets);
    if (!(await this.names.claim(record, record.createdAtMs))) return "name_taken";
    await this.putNew(gateItem(newGate(record), record.createdAtMs));
    await this.putNew(subscriptionItem(record, sealed));
    if ((await readItem(this.table, sourceKey(record.sourceId), this.table.now(), true)) !== null) return "created";
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
    const sealed = secrets === null ? null : await this.table.vault.seal(next.subscriptionId, secrets);
    if (renamed && !(await this.names.claim(next, next.updatedAtMs))) return "name_taken";
    const replaced = await this.update(previous, {
      set: { ...subscriptionFields(next), ...(sealed === null ? {} : { sealed }) },
      remove: next.secrets.length === 0 ? ["sealed"] : [],
    });
    if (renamed) await this.names.release(replaced ? previous : next);
    return replaced ? "replaced" : "changed";
  }

  async deleteSubscription(record: SubscriptionRecord, nowMs: number): Promise<boolean> {
    const expiresAt = Math.ceil((nowMs + (this.retentionDays + tombstoneExtraDays) * dayMs) / 1000);
    const tombstone = { deletedAtMs: nowMs, updatedAtMs: nowMs, version: record.version + 1, url: "", secrets: [] };
    const deleted = await this.update(record, { set: { ...tombstone, expiresAt }, remove: ["sealed"] });
    if (!deleted) return false;
    await this.closeGate(record.subscriptionId, nowMs, expiresAt);
    await this.names.release(record);
    return true;
  }

  async subscriptionIds(sourceId: string, limit: number): Promise<readonly string[]> {
    const ids: string[] = [];
    for await (const items of this.pages(sourceId)) {
      ids.push(...items.map((item) => item["subscriptionId"]?.S as string));
      if (ids.length >= limit) break;
    }
    return ids.slice(0, limit);
  }

  private async read(sourceId: string, subscriptionId: string): Promise<Stored<SubscriptionRecord> | null> {
    const item = await readItem(this.table, subscriptionKey(sourceId, subscriptionId), this.table.now(), true);
    return item === null ? null : subscriptionFromItem(item);
  }

  private pages(sourceId: string, after: string | null = null): AsyncGenerator<readonly Item[]> {
    const afterKey = after === null ? null : subscriptionKey(sourceId, after);
    return subscriptionPages(this.table, sourceKey(sourceId).pk, this.table.now(), { consistent: true, afterKey });
  }

  private async liveItems(sourceId: string, { after, limit }: PageRequest): Promise<{ items: Item[]; more: boolean }> {
    const live: Item[] = [];
    for await (const items of this.pages(sourceId, after)) {
      live.push(...items.filter(isLive));
      if (live.length > limit) break;
    }
    return { items: live.slice(0, limit), more: live.length > limit };
  }

  private async gatesOf(records: readonly SubscriptionRecord[]): Promise<ReadonlyMap<string, Gate>> {
    const items = await readItems(
      this.table,
      records.map(({ subscriptionId }) => gateKey(subscriptionId)),
    );
    return new Map(items.map(gateFromItem).map((gate) => [gate.subscriptionId, gate]));
  }

  /** Ids are fresh: an item that is there already was written by this very call, whose answer was lost. */
  private async putNew(item: Item): Promise<void> {
    const put = { TableName: this.table.tableName, Item: item, ConditionExpression: "attribute_not_exists(pk)" };
    await applies(this.table.client.send(new PutItemCommand(put)));
  }

  private async undoCreate(record: SubscriptionRecord): Promise<void> {
    for (const key of [subscriptionKey(record.sourceId, record.subscriptionId), gateKey(record.subscriptionId)]) {
      await this.table.client.send(new DeleteItemCommand({ TableName: this.table.tableName, Key: marshall(key) }));
    }
    await this.names.release(record);
  }

  private update(
    record: SubscriptionRecord,
    change: { readonly set: Record<string, unknown>; readonly remove: readonly string[] },
  ): Promise<boolean> {
    return applies(
      this.table.client.send(
        new UpdateItemCommand({
          TableName: this.table.tableName,
          Key: marshall(subscriptionKey(record.sourceId, record.subscriptionId)),
          ...updateExpression({ ...change, onlyIf: { version: record.version } }),
        }),
      ),
    );
  }

  private async closeGate(subscriptionId: string, nowMs: number, expiresAt: number): Promise<void> {
    await this.table.client.send(
      new UpdateItemCommand({
        TableName: this.table.tableName,
        Key: marshall(gateKey(subscriptionId)),
        UpdateExpression:
          "SET #status = :disabled, statusReason = :deleted, generation = generation + :one, " +
          "updatedAtMs = :now, expiresAt = :expiresAt",
        ExpressionAttributeNames: { "#status": "status" },
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

const newGate = ({ subscriptionId, sourceId }: SubscriptionRecord): Gate => ({
  subscriptionId,
  sourceId,
  status: "active",
  statusReason: null,
  generation: 1,
});
