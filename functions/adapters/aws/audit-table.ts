import { PutItemCommand, paginateQuery } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import type { AuditEntry, AuditTrail, ListedAudit, ListRange } from "../../app/admin/ports.js";
import type { Clock } from "../../app/ports.js";
import { isKnownVersion, itemVersion } from "./item-version.js";
import { changeItem, type Item, isExpired, type Table } from "./items.js";
import { type Key, timeKey } from "./keys.js";

/** Days that an entry stays: a year, and time to look back at it. */
const keptDays = 400;
const dayMs = 86_400_000;

const longestMonthMs = 31 * dayMs;

/** One partition a month, in order of time: no index is needed, and reads are consistent. */
const partitionOf = (ms: number): string => `AUDIT#${new Date(ms).toISOString().slice(0, 7)}`;

export const auditKey = ({ atMs, auditId }: Pick<AuditEntry, "atMs" | "auditId">): Key => ({
  pk: partitionOf(atMs),
  sk: timeKey(atMs, auditId),
});

/** The audit trail in the table. */
export class TableAuditTrail implements AuditTrail {
  constructor(
    private readonly table: Table,
    private readonly now: Clock,
  ) {}

  async begin(entry: AuditEntry): Promise<void> {
    const item = {
      ...auditKey(entry),
      v: itemVersion,
      ...entry,
      reason: entry.reason ?? undefined,
      outcome: undefined,
      expiresAt: Math.ceil((entry.atMs + keptDays * dayMs) / 1000),
    };
    const Item = marshall(item, { removeUndefinedValues: true });
    await this.table.client().send(new PutItemCommand({ TableName: this.table.tableName, Item }));
  }

  async end(entry: AuditEntry): Promise<void> {
    const { subjects, outcome } = entry;
    await changeItem(this.table, auditKey(entry), { subjects, outcome }, { expression: "attribute_exists(pk)" });
  }

  async *entries({ after, sinceMs, untilMs, expected }: ListRange): AsyncGenerator<ListedAudit> {
    const nowMs = this.now();
    const oldestMs = Math.max(sinceMs ?? 0, nowMs - (keptDays + 1) * dayMs);
    const high = after ?? new Date(untilMs ?? nowMs + dayMs).toISOString();
    const low = new Date(oldestMs).toISOString();
    for (const partition of months(Date.parse(high.slice(0, 24)), oldestMs)) {
      const pages = paginateQuery(
        { client: this.table.client(), pageSize: Math.max(25, expected + 1) },
        {
          TableName: this.table.tableName,
          ConsistentRead: true,
          KeyConditionExpression: "pk = :month AND sk BETWEEN :low AND :high",
          ExpressionAttributeValues: marshall({ ":month": partition, ":low": low, ":high": later(low, high) }),
          ScanIndexForward: false,
        },
      );
      for await (const page of pages) {
        const items = (page.Items ?? []).map((item) => unmarshall(item));
        // The upper bound is inclusive: the entry to go on after comes once more, and is left out.
        for (const item of items) if (item["sk"] !== after && isReadable(item, nowMs)) yield auditFromItem(item);
      }
    }
  }
}

/** A range that ends before it begins is an error to DynamoDB; one that ends where it begins holds nothing. */
function later(low: string, high: string): string {
  if (high < low) return low;
  return high;
}

const isReadable = (item: Item, nowMs: number): boolean => isKnownVersion(item) && !isExpired(item, nowMs);

/** Partitions from the newest to the oldest. */
function months(newestMs: number, oldestMs: number): readonly string[] {
  const found = new Set<string>();
  for (let ms = newestMs; ms > oldestMs - longestMonthMs; ms -= dayMs) {
    const partition = partitionOf(Math.max(ms, oldestMs));
    found.add(partition);
  }
  return [...found];
}

/** Reads an entry back. */
export function auditFromItem(item: Item): ListedAudit {
  return {
    auditId: item["auditId"] as string,
    atMs: item["atMs"] as number,
    by: item["by"] as string,
    operation: item["operation"] as string,
    method: item["method"] as string,
    path: item["path"] as string,
    subjects: (item["subjects"] ?? []) as readonly string[],
    fields: (item["fields"] ?? []) as readonly string[],
    reason: (item["reason"] ?? null) as string | null,
    outcome: (item["outcome"] ?? null) as AuditEntry["outcome"],
    position: item["sk"] as string,
  };
}
