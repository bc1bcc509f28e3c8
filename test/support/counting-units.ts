import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import type { TableWiring } from "../../local/wiring.js";
import { itemBytes } from "./item-bytes.js";

/** What AWS bills for a call, by its published rules: nothing here asks an emulator. */

export type RawItem = Readonly<Record<string, AttributeValue>>;

const writeUnitBytes = 1_024;
const readUnitBytes = 4_096;
const queueRequestBytes = 64 * 1_024;

/** What a write depends on besides the item: the table's indexes, as the template declares them. */
export type BilledTable = Pick<TableWiring, "keySchema" | "indexes">;

/**
 * Write units of one write: the larger of the item before and after, in whole KB, and for each index the entries that
 * come, go or change. Null: no item.
 */
export function writeUnits(table: BilledTable, before: RawItem | null, after: RawItem | null): number {
  const own = unitsOf(Math.max(sizeOf(before), sizeOf(after)), writeUnitBytes);
  return table.indexes.reduce((sum, index) => sum + indexUnits(table, index, before, after), own);
}

/** A write whose condition does not hold is billed by the item that it met. */
export function refusedWriteUnits(met: RawItem | null): number {
  return unitsOf(sizeOf(met), writeUnitBytes);
}

/** An entry whose key changes is deleted and put: two writes. */
function indexUnits(
  table: BilledTable,
  index: BilledTable["indexes"][number],
  before: RawItem | null,
  after: RawItem | null,
): number {
  const left = entryOf(table, index, before);
  const entered = entryOf(table, index, after);
  const units = (entry: RawItem | null) => (entry === null ? 0 : unitsOf(sizeOf(entry), writeUnitBytes));
  if (left === null || entered === null) return units(left) + units(entered);
  const indexKeys = index.KeySchema.map(({ AttributeName }) => AttributeName);
  if (!isSame(left, entered, indexKeys)) return units(left) + units(entered);
  return isSame(left, entered, Object.keys({ ...left, ...entered })) ? 0 : Math.max(units(left), units(entered));
}

/** The entry that an item has in an index; null when it lacks a key of it. */
function entryOf(table: BilledTable, index: BilledTable["indexes"][number], item: RawItem | null): RawItem | null {
  if (item === null) return null;
  const indexKeys = index.KeySchema.map(({ AttributeName }) => AttributeName);
  if (indexKeys.some((name) => item[name] === undefined)) return null;
  const { ProjectionType, NonKeyAttributes = [] } = index.Projection as {
    readonly ProjectionType: string;
    readonly NonKeyAttributes?: readonly string[];
  };
  if (ProjectionType === "ALL") return item;
  const tableKeys = table.keySchema.map(({ AttributeName }) => AttributeName);
  const included = new Set([...indexKeys, ...tableKeys, ...(ProjectionType === "INCLUDE" ? NonKeyAttributes : [])]);
  return Object.fromEntries(Object.entries(item).filter(([name]) => included.has(name)));
}

const isSame = (one: RawItem, other: RawItem, names: readonly string[]): boolean =>
  names.every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]));

/** Read units of one item (null: it is not there), 4 KB each; half of them when the read is eventually consistent. */
export function readUnits(item: RawItem | null, consistent: boolean): number {
  return unitsOf(sizeOf(item), readUnitBytes) * (consistent ? 1 : 0.5);
}

/** Read units of a query: what it read counts together. */
export function queryUnits(items: readonly RawItem[], consistent: boolean): number {
  const bytes = items.reduce((sum, item) => sum + itemBytes(item), 0);
  return unitsOf(bytes, readUnitBytes) * (consistent ? 1 : 0.5);
}

/** Requests that SQS bills for a call with this payload: one for each 64 KB. */
export function queueRequests(payloadBytes: number): number {
  return unitsOf(payloadBytes, queueRequestBytes);
}

const sizeOf = (item: RawItem | null): number => (item === null ? 0 : itemBytes(item));

/** Whole units, at least one: nothing is free. */
const unitsOf = (bytes: number, unitBytes: number): number => Math.max(1, Math.ceil(bytes / unitBytes));
