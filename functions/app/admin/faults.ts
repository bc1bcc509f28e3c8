import type { Fault } from "../../core/model.js";
import { redriveFault } from "../faults/redrive-fault.js";
import type { AdminContext } from "./context.js";
import { decodeCursor, encodeCursor } from "./cursor.js";
import { faultSummary, faultView } from "./fault-views.js";
import { findPage } from "./pages.js";
import type { ListedFault } from "./ports.js";
import { refusal, unknown } from "./problem.js";
import type { PageQuery } from "./schemas.js";
import type { FaultSummaryView, FaultView, PageView } from "./view-schemas.js";
import { isoTime } from "./views.js";

/** Faults: messages that the relay itself could not process, until somebody sends them back. */

const dayMs = 86_400_000;
const list = ["faults"];

/** A page of those that wait, newest first. */
export async function listFaults(
  context: AdminContext,
  { limit, cursor }: PageQuery,
): Promise<PageView<FaultSummaryView>> {
  const after = decodeCursor(list, cursor);
  const entries = context.faultList.entries({ after, sinceMs: null, untilMs: null, expected: limit });
  const page = await findPage(entries, limit, (batch) => readWaiting(context, batch));
  return { items: page.items, cursor: encodeCursor(list, page.after) };
}

/** An index lags behind: one that was sent back meanwhile no longer waits. */
async function readWaiting({ faultList }: AdminContext, batch: readonly ListedFault[]) {
  const found = await faultList.findFaults(batch.map(({ faultId }) => faultId));
  const byId = new Map(found.map((fault) => [fault.faultId, fault]));
  return batch.map(({ faultId }) => {
    const fault = byId.get(faultId);
    return fault === undefined || fault.redrivenAtMs !== null ? null : faultSummary(fault);
  });
}

/** One that waits, or that was sent back within the retention, with as much of its message as may be shown. */
export async function findFault(context: AdminContext, faultId: string): Promise<FaultView> {
  const fault = await requireFault(context, faultId);
  return faultView(fault, await context.faults.faultBody(faultId));
}

/**
 * Sends a fault's message back to its queue. Two calls at the same time send it twice: the second message is a copy,
 * which changes nothing.
 */
export async function redrive(context: AdminContext, faultId: string): Promise<FaultSummaryView> {
  const fault = await requireFault(context, faultId);
  if (fault.redrivenAtMs !== null) {
    const since = `was sent back at ${isoTime(fault.redrivenAtMs)} and has not failed again`;
    throw refusal(409, "already_redriven", `Fault "${faultId}" ${since}.`);
  }
  return faultSummary(await redriveFault(context, fault, context.now()));
}

async function requireFault({ faults, now, retentionDays }: AdminContext, faultId: string): Promise<Fault> {
  const fault = await faults.findFault(faultId);
  if (fault === null) throw unknown("unknown_fault", faultId);
  // The table removes expired items within days, not at once.
  if (fault.redrivenAtMs !== null && now() > fault.redrivenAtMs + retentionDays * dayMs) {
    throw unknown("unknown_fault", faultId);
  }
  return fault;
}
