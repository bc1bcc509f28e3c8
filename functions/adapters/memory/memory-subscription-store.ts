import { newGate, type SubscriptionRecord } from "../../app/admin/definitions.js";
import type { GatedSubscription, Page, PageRequest, SecretValues, SubscriptionStore } from "../../app/admin/ports.js";
import { tombstoneExpiresAt } from "../../core/expiry.js";
import { nextGeneration } from "../../core/gate.js";
import type { Gate } from "../../core/model.js";
import { sealedNames } from "../../core/sealed-secrets.js";
import type { MemoryConfig } from "./memory-config.js";
import { replaceGate } from "./memory-gates.js";

/** Subscriptions and their gates in memory, as the admin API changes them. */
export class MemorySubscriptionStore implements SubscriptionStore {
  constructor(
    private readonly config: MemoryConfig,
    private readonly retentionDays: number,
  ) {}

  async findSubscription(subscriptionId: string): Promise<GatedSubscription | null> {
    const found = this.config.subscription(subscriptionId);
    return found === null || found.record.deletedAtMs !== null ? null : this.gated(found.record);
  }

  async findNamed(sourceId: string, name: string): Promise<GatedSubscription | null> {
    const record = this.live(sourceId).find((each) => each.name === name);
    return record === undefined ? null : this.gated(record);
  }

  async openSecrets(record: SubscriptionRecord): Promise<SecretValues> {
    const names = sealedNames(record);
    const values = this.config.subscription(record.subscriptionId)?.secrets ?? {};
    return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
  }

  async listSubscriptions(sourceId: string, { after, limit }: PageRequest): Promise<Page<GatedSubscription>> {
    const live = this.live(sourceId).filter(({ subscriptionId }) => after === null || subscriptionId > after);
    const page = live.slice(0, limit);
    return {
      items: page.flatMap((record) => this.gated(record) ?? []),
      after: live.length > limit ? (page.at(-1)?.subscriptionId ?? null) : null,
    };
  }

  async createSubscription(
    record: SubscriptionRecord,
    secrets: SecretValues,
  ): Promise<"created" | "name_taken" | "source_missing"> {
    if (this.isTaken(record)) return "name_taken";
    if (!this.config.sources.has(record.sourceId)) return "source_missing";
    this.config.gates.set(record.subscriptionId, newGate(record));
    this.config.subscriptions.set(record.subscriptionId, { record, secrets });
    return "created";
  }

  async replaceSubscription(
    previous: SubscriptionRecord,
    next: SubscriptionRecord,
    secrets: SecretValues | null,
  ): Promise<"replaced" | "changed" | "name_taken"> {
    if (this.isTaken(next)) return "name_taken";
    const stored = this.config.subscription(previous.subscriptionId);
    if (stored?.record.version !== previous.version) return "changed";
    this.config.subscriptions.set(next.subscriptionId, { record: next, secrets: secrets ?? stored.secrets });
    return "replaced";
  }

  async moveGate(previous: Gate, next: Gate): Promise<boolean> {
    return replaceGate(this.config, previous, next);
  }

  async deleteSubscription(record: SubscriptionRecord, nowMs: number): Promise<boolean> {
    const { subscriptionId } = record;
    const stored = this.config.subscription(subscriptionId);
    if (stored?.record.version !== record.version) return false;
    const version = record.version + 1;
    const emptied = { url: "", secrets: [], headers: null, tls: null };
    const tombstone = { ...stored.record, ...emptied, deletedAtMs: nowMs, updatedAtMs: nowMs, version };
    const expiresAt = tombstoneExpiresAt(nowMs, this.retentionDays);
    this.config.subscriptions.set(subscriptionId, { record: tombstone, secrets: {}, expiresAt });
    const gate = this.config.gates.get(subscriptionId) ?? newGate(record);
    const closed = { status: "disabled", statusReason: "deleted" } as const;
    this.config.gates.set(subscriptionId, nextGeneration(gate, closed, nowMs));
    return true;
  }

  async subscriptionIds(sourceId: string, limit: number): Promise<readonly string[]> {
    return this.config
      .subscriptionsOf(sourceId)
      .map(({ record }) => record.subscriptionId)
      .slice(0, limit);
  }

  private gated(record: SubscriptionRecord): GatedSubscription | null {
    const gate = this.config.gates.get(record.subscriptionId);
    return gate === undefined ? null : { record, gate };
  }

  private live(sourceId: string): readonly SubscriptionRecord[] {
    return this.config
      .subscriptionsOf(sourceId)
      .map(({ record }) => record)
      .filter((record) => record.deletedAtMs === null);
  }

  private isTaken({ sourceId, subscriptionId, name }: SubscriptionRecord): boolean {
    if (name === null) return false;
    return this.live(sourceId).some((other) => other.name === name && other.subscriptionId !== subscriptionId);
  }
}
