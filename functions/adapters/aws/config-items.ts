import type { SubscriptionRecord } from "../../app/admin/definitions.js";
import type { Source } from "../../core/model.js";
import { itemVersion, requireKnownVersion } from "./item-version.js";
import type { Item } from "./items.js";
import { type Key, sourceKey, sourceListPartition, subscriptionKey } from "./keys.js";

/** Items of sources, subscriptions and claimed names: what stands in the table, and what it means. */

/** A record together with the blob that holds its secrets; null when it has none. */
export interface Stored<Record> {
  readonly record: Record;
  readonly sealed: Buffer | null;
}

/** The attributes of a source that a replacement sets; index keys never change. */
export function sourceFields(source: Source): Record<string, unknown> {
  return { ...source, v: itemVersion };
}

export function sourceItem(source: Source, sealed: Buffer | null): Item {
  const indexKeys = { spk: sourceListPartition, ssk: source.sourceId };
  return toItem(sourceKey(source.sourceId), { ...sourceFields(source), ...indexKeys, ...sealedField(sealed) });
}

export function sourceFromItem(item: Item): Stored<Source> {
  const { fields, sealed } = fromItem(item);
  const record: Source = pick(fields, sourceFieldNames);
  // A source that an earlier version wrote has no say about the answer.
  return { record: fields["answer"] === undefined ? { ...record, answer: "event-id" } : record, sealed };
}

const sourceFieldNames = [
  "sourceId",
  "description",
  "verification",
  "handshake",
  "answer",
  "dedupe",
  "eventType",
  "secrets",
  "version",
  "managedBy",
  "createdAtMs",
  "updatedAtMs",
] as const satisfies readonly (keyof Source)[];

export function subscriptionFields(record: SubscriptionRecord): Record<string, unknown> {
  return { ...record, v: itemVersion };
}

export function subscriptionItem(record: SubscriptionRecord, sealed: Buffer | null): Item {
  const key = subscriptionKey(record.sourceId, record.subscriptionId);
  return toItem(key, { ...subscriptionFields(record), ...sealedField(sealed) });
}

export function subscriptionFromItem(item: Item): Stored<SubscriptionRecord> {
  const { fields, sealed } = fromItem(item);
  return { record: pick(fields, subscriptionFieldNames), sealed };
}

const subscriptionFieldNames = [
  "subscriptionId",
  "sourceId",
  "name",
  "description",
  "url",
  "policy",
  "timeouts",
  "circuit",
  "maxPerSecond",
  "types",
  "filter",
  "forwardSuffix",
  "signing",
  "secrets",
  "headers",
  "tls",
  "deletedAtMs",
  "version",
  "managedBy",
  "createdAtMs",
  "updatedAtMs",
] as const satisfies readonly (keyof SubscriptionRecord)[];

/** Who holds a subscription's name, and since when. */
export interface NameClaim {
  readonly subscriptionId: string;
  readonly claimedAtMs: number;
}

export function nameItem(key: Key, claim: NameClaim): Item {
  return toItem(key, { ...claim, v: itemVersion });
}

export function nameFromItem(item: Item): NameClaim {
  return pick(fromItem(item).fields, ["subscriptionId", "claimedAtMs"]);
}

const toItem = (key: Key, fields: Record<string, unknown>): Item => ({ ...fields, ...key });

function fromItem(item: Item): { readonly fields: Item; readonly sealed: Buffer | null } {
  const { sealed, ...fields } = item;
  requireKnownVersion(item);
  return { fields, sealed: sealed === undefined ? null : Buffer.from(sealed as Uint8Array) };
}

const sealedField = (sealed: Buffer | null) => (sealed === null ? {} : { sealed });

/** The item's fields of one type; a missing one reads as null, so that fields may be added later. */
function pick<Names extends string, Type extends Readonly<Record<Names, unknown>>>(
  fields: Item,
  names: readonly Names[],
): Type {
  return Object.fromEntries(names.map((name) => [name, fields[name] ?? null])) as Type;
}
