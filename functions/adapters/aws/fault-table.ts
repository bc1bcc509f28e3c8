import type { ContentStore, FaultTable } from "../../app/ports.js";
import type { Fault } from "../../core/model.js";
import { faultsPrefix } from "../../shared/bucket-layout.js";
import { tableLayout } from "../../shared/table-layout.js";
import { itemVersion, requireKnownVersion } from "./item-version.js";
import { type Condition, changeItem, getItem, type Item, type Table } from "./items.js";
import { duePartition, type Key, shardOf, timeKey } from "./keys.js";

/** A longer body lies in the bucket: an item holds 400 KB at most. */
const inlineBytes = 256 * 1024;
const dayMs = 86_400_000;

const { partitionKey, sortKey } = tableLayout.indexes.due;
export const faultKey = (faultId: string): Key => ({ pk: `FLT#${faultId}`, sk: "FAULT" });

/** Faults in DynamoDB, listed by the `due` index while they wait; long bodies in the bucket, where they do not expire. */
export class DynamoFaultTable implements FaultTable {
  constructor(
    private readonly table: Table,
    private readonly contents: ContentStore,
    private readonly retentionDays: number,
  ) {}

  async storeFault(fault: Fault, body: string): Promise<void> {
    for (;;) {
      if (await this.storeOver(await this.findFault(fault.faultId), fault, body)) return;
      // Somebody wrote the same fault meanwhile: what is there now is looked at again.
    }
  }

  private async storeOver(previous: Fault | null, fault: Fault, body: string): Promise<boolean> {
    const key = faultKey(fault.faultId);
    if (previous === null) return this.list(fault, body, { expression: "attribute_not_exists(pk)" });
    const times = previous.times + 1;
    // One that was sent back and failed again is a fault again.
    if (previous.redrivenAtMs !== null) return this.list({ ...fault, times }, body, unchangedSince(previous));
    return changeItem(this.table, key, { times }, waitingAs(previous));
  }

  private async list(fault: Fault, body: string, when: Condition): Promise<boolean> {
    const inline = Buffer.byteLength(body) <= inlineBytes;
    const bodyKey = inline ? undefined : `${faultsPrefix}${fault.faultId}`;
    if (bodyKey !== undefined) await this.contents.put(bodyKey, Buffer.from(body));
    const { faultId, ...fields } = fault;
    const attributes = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? undefined]));
    const listed = {
      [partitionKey]: duePartition("FAULT", shardOf(faultId)),
      [sortKey]: timeKey(fault.faultedAtMs, faultId),
    };
    const changes = {
      v: itemVersion,
      ...attributes,
      body: inline ? body : undefined,
      bodyKey,
      ...listed,
      expiresAt: undefined,
    };
    return changeItem(this.table, faultKey(faultId), changes, when);
  }

  async findFault(faultId: string): Promise<Fault | null> {
    const item = await getItem(this.table, faultKey(faultId));
    return item === null ? null : faultFromItem(item);
  }

  async faultBody(faultId: string): Promise<string> {
    const item = await getItem(this.table, faultKey(faultId));
    if (item === null) throw new Error(`no fault ${faultId}`);
    if (typeof item["body"] === "string") return item["body"];
    return (await this.contents.get(item["bodyKey"] as string)).toString();
  }

  async markRedriven(fault: Fault, nowMs: number): Promise<void> {
    const expiresAt = Math.ceil((nowMs + this.retentionDays * dayMs) / 1000);
    const changes = { redrivenAtMs: nowMs, expiresAt, [partitionKey]: undefined, [sortKey]: undefined };
    await changeItem(this.table, faultKey(fault.faultId), changes, unchangedSince(fault));
  }
}

/** A fault that has not come again since it was read. The first ones were not counted: each of them came once. */
const unchangedSince = ({ times }: Fault): Condition => ({
  expression: `attribute_exists(pk) AND (#times = :known${times === 1 ? " OR attribute_not_exists(#times)" : ""})`,
  names: { "#times": "times" },
  values: { ":known": times },
});

/** The same, and it has not been sent back either. */
const waitingAs = (fault: Fault): Condition => {
  const { expression, ...rest } = unchangedSince(fault);
  return { ...rest, expression: `${expression} AND attribute_not_exists(redrivenAtMs)` };
};

/**
 * Reads a fault item back.
 *
 * @throws {UnknownItemVersionError} for one that only a later version can read.
 */
export function faultFromItem(item: Item): Fault {
  requireKnownVersion(item);
  const optional = (name: string) => (item[name] ?? null) as string | null;
  return {
    faultId: (item["pk"] as string).slice(faultKey("").pk.length),
    queue: item["queue"] as Fault["queue"],
    cause: item["cause"] as string,
    messageId: item["messageId"] as string,
    faultedAtMs: item["faultedAtMs"] as number,
    times: (item["times"] ?? 1) as number,
    redrivenAtMs: (item["redrivenAtMs"] ?? null) as number | null,
    eventId: optional("eventId"),
    deliveryId: optional("deliveryId"),
    subscriptionId: optional("subscriptionId"),
  };
}
