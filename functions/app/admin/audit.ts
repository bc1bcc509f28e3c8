import { freshId } from "../../core/ids.js";
import type { AdminContext } from "./context.js";
import { decodeCursor, encodeCursor } from "./cursor.js";
import { harmless } from "./harmless-text.js";
import type { JsonObject } from "./merge-patch.js";
import { findPage } from "./pages.js";
import type { AuditEntry, AuditOutcome } from "./ports.js";
import { replayInputSchema, replayJobSchema, testEventSchema } from "./replay-schemas.js";
import { type AuditQuery, rotationSchema, sourceSchema, subscriptionSchema } from "./schemas.js";
import { requireOrder } from "./time-bounds.js";
import type { AuditEntryView, PageView } from "./view-schemas.js";
import { isoTime } from "./views.js";

/** The audit trail: who changed what, through the admin API, and what came of it. */

/** A write, as the trail sees it. */
export interface TracedWrite {
  readonly operation: string;
  readonly caller: string | null;
  readonly method: string;
  readonly path: string;
  /** Ids and names of the path. */
  readonly ids: readonly string[];
  readonly body: JsonObject | null;
  readonly reason: string | null;
}

const longestReason = 256;
const longestPath = 512;
/** More fields than any document of ours has. */
const mostFields = 50;

/** Names that a trail may hold: what else stands in a document could be anything, a secret too. */
const knownFields: ReadonlySet<string> = new Set(
  [sourceSchema, subscriptionSchema, rotationSchema, replayInputSchema, replayJobSchema, testEventSchema].flatMap(
    ({ entries }) => Object.keys(entries),
  ),
);

/**
 * Notes what is about to be done. Rejects when that cannot be noted: then it must not be done. So no write is without its
 * trace, and an entry without an outcome is one of which only its beginning is known.
 */
export async function beginTrace(context: AdminContext, write: TracedWrite): Promise<AuditEntry> {
  const nowMs = context.now();
  const entry: AuditEntry = {
    auditId: freshId("aud", nowMs, context.entropy(10)),
    atMs: nowMs,
    by: write.caller ?? "local",
    operation: write.operation,
    method: write.method,
    path: write.path.slice(0, longestPath),
    subjects: write.ids.filter((id) => id !== "").map((id) => id.slice(0, longestReason)),
    fields: Object.keys(write.body ?? {})
      .filter((name) => knownFields.has(name))
      .slice(0, mostFields),
    reason: write.reason === null || write.reason === "" ? null : write.reason.slice(0, longestReason),
    outcome: null,
  };
  await context.audit.begin(entry);
  return entry;
}

/** Notes what came of it; `created`: the id that a creation gave. */
export async function endTrace(
  { audit }: AdminContext,
  entry: AuditEntry,
  outcome: AuditOutcome,
  created: string | null,
): Promise<void> {
  const subjects = created === null || entry.subjects.includes(created) ? entry.subjects : [...entry.subjects, created];
  await audit.end({ ...entry, subjects, outcome });
}

/** A page of the trail, newest first; it may be short, or empty, and still have a cursor. */
export async function listAudit(context: AdminContext, query: AuditQuery): Promise<PageView<AuditEntryView>> {
  const { limit, cursor, ...filter } = query;
  const list = ["audit", filter];
  const after = decodeCursor(list, cursor);
  requireOrder(query);
  const bound = (time: string | undefined): number | null => (time === undefined ? null : Date.parse(time));
  const range = { after, sinceMs: bound(filter.since), untilMs: bound(filter.until), expected: limit };
  const page = await findPage(context.audit.entries(range), limit, async (batch) =>
    batch.map((entry) => (isAbout(entry, filter.subject) ? auditView(entry) : null)),
  );
  return { items: page.items, cursor: encodeCursor(list, page.after) };
}

const isAbout = ({ subjects }: AuditEntry, subject: string | undefined): boolean =>
  subject === undefined || subjects.includes(subject);

function auditView({ auditId, atMs, by, operation, method, path, subjects, fields, reason, outcome }: AuditEntry) {
  return {
    auditId,
    at: isoTime(atMs),
    by: harmless(by),
    operation,
    method,
    path: harmless(path),
    subjects: subjects.map(harmless),
    fields: [...fields],
    reason: reason === null ? null : harmless(reason),
    outcome,
  };
}
