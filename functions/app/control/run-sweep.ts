import type { DeliveryContext } from "../delivery/delivery-context.js";
import type { Metrics } from "../metrics.js";
import type { DeliveryTable, SweepLease } from "../ports.js";
import { type OldestParkedContext, oldestParkedSeconds } from "./oldest-parked.js";
import { type SweepContext, sweep } from "./sweep.js";

export interface RunSweepContext extends SweepContext, OldestParkedContext {
  readonly deliveries: DeliveryTable;
  readonly lease: SweepLease;
  readonly log: DeliveryContext["log"];
  readonly metrics: Metrics;
}

/** Time kept back for giving the lease back and for the log. */
const marginMs = 5_000;

/** One sweep at a time: one that finds another running leaves it to that one. The report is one line of the log. */
export async function runSweep(context: RunSweepContext, remainingMs: number): Promise<void> {
  const nowMs = context.now();
  const leaseUntilMs = nowMs + remainingMs;
  if (!(await context.lease.take(nowMs, leaseUntilMs))) {
    context.log("info", "sweep skipped: another one is running", {});
    return;
  }
  const report = await sweep(context, leaseUntilMs - marginMs);
  await context.lease.release(leaseUntilMs);
  const swept = report.resent + report.released + report.ended;
  context.metrics.count("Swept", swept);
  // Always written, 0 too: that a relay is swept at all is told by this metric having values.
  context.metrics.value("OldestOverdueSeconds", report.oldestOverdueSeconds);
  context.log(swept > 0 ? "warn" : "info", "sweep", { ...report });
  await noteOldestParked(context);
}

/** Needs nobody's lease, and its failure is no failure of the sweep. */
async function noteOldestParked(context: RunSweepContext): Promise<void> {
  try {
    context.metrics.value("OldestParkedSeconds", await oldestParkedSeconds(context));
  } catch (error) {
    context.log("warn", "oldest parked delivery not found out", { error });
  }
}
