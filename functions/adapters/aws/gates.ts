import { UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import type { Gates } from "../../app/ports.js";
import { slowForMs } from "../../core/gate.js";
import type { Gate } from "../../core/model.js";
import type { OutcomeTally } from "../../core/outcome-tally.js";
import { LruMap, ReadCache } from "./config-cache.js";
import { readItem, type TimedTable } from "./config-reads.js";
import { applies } from "./config-writes.js";
import { endedNames, endOfGeneration, gateChanges, gateFromItem, listEntry, unmoved } from "./gate-item.js";
import { addOutcomes } from "./gate-outcomes.js";
import { reserveSlots } from "./gate-slots.js";
import { changeItem } from "./items.js";
import { gateKey } from "./keys.js";
import { SlotQueue } from "./slot-queue.js";
import { SlowMemory } from "./slow-memory.js";

/** A paused, disabled or opened gate is noticed within this time. */
export const gateMaxAgeMs = 1_000;
/** Gates in memory: each is small. */
const mostGates = 10_000;

/** Gates, at most 1 s old. */
export class CachedGates implements Gates {
  private readonly cache: ReadCache<Gate>;
  private readonly slow = new SlowMemory();
  private readonly slots = new LruMap<SlotQueue>(mostGates);

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

  async replaceGate(previous: Gate, next: Gate): Promise<boolean> {
    const { subscriptionId } = previous;
    const replaced = await changeItem(
      this.table,
      gateKey(subscriptionId),
      gateChanges(previous, next),
      unmoved(previous),
    );
    this.cache.forget(subscriptionId);
    return replaced;
  }

  async addOutcomes(subscriptionId: string, tally: OutcomeTally, nowMs: number): Promise<Gate | null> {
    const gate = await addOutcomes(this.table, subscriptionId, tally, nowMs);
    this.cache.forget(subscriptionId);
    return gate;
  }

  reserveSlot(subscriptionId: string, intervalMs: number, nowMs: number): Promise<number | null> {
    const queue =
      this.slots.get(subscriptionId) ??
      new SlotQueue((count, interval, now) => reserveSlots(this.table, subscriptionId, count, interval, now));
    this.slots.set(subscriptionId, queue);
    return queue.reserve(intervalMs, nowMs);
  }

  async disable(subscriptionId: string, reason: string, version: number, nowMs: number): Promise<void> {
    await applies(
      this.table.client().send(disableUpdate(this.table.tableName, subscriptionId, reason, version, nowMs)),
    );
    this.cache.forget(subscriptionId);
  }

  async noteParked(subscriptionId: string, nowMs: number): Promise<void> {
    if ((await this.cache.get(subscriptionId))?.holdsParked === true) return;
    const key = gateKey(subscriptionId);
    const unlisted = { expression: "attribute_exists(pk) AND attribute_not_exists(dpk)" };
    const entry = { holdsParked: true, ...listEntry(subscriptionId, nowMs) };
    if (!(await changeItem(this.table, key, entry, unlisted))) {
      // It is listed for its circuit: then it is looked at when the next tick is missed.
      await changeItem(this.table, key, { holdsParked: true }, { expression: "attribute_exists(dpk)" });
    }
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
}

/**
 * Only an active gate is disabled: a paused or deleted one keeps its reason, and a second 410 changes nothing. Neither
 * does one that says nothing of the subscription that an operator has moved the gate with.
 */
const disableUpdate = (tableName: string, subscriptionId: string, reason: string, version: number, nowMs: number) =>
  new UpdateItemCommand({
    TableName: tableName,
    Key: marshall(gateKey(subscriptionId)),
    UpdateExpression:
      "SET #status = :disabled, statusReason = :reason, generation = generation + :one, updatedAtMs = :now " +
      endOfGeneration,
    ConditionExpression:
      "#status = :active AND (attribute_not_exists(subscriptionVersion) OR subscriptionVersion <= :version)",
    ExpressionAttributeNames: { "#status": "status", ...endedNames },
    ExpressionAttributeValues: marshall({
      ":disabled": "disabled",
      ":active": "active",
      ":reason": reason,
      ":version": version,
      ":one": 1,
      ":now": nowMs,
    }),
  });
