import type { DeliveryContext } from "../delivery/delivery-context.js";
import type { SweepLease } from "../ports.js";
import { type SweepContext, sweep } from "./sweep.js";

export interface RunSweepContext extends SweepContext {
  readonly lease: SweepLease;
  readonly log: DeliveryContext["log"];
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
  const healed = report.resent > 0 || report.released > 0 || report.ended > 0;
  context.log(healed ? "warn" : "info", "sweep", { ...report });
}
