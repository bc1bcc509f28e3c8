import { usageError } from "../cli-error.js";
import type { Session } from "../session.js";
import { type Assumptions, defaults } from "./assumptions.js";
import { costView } from "./cost-view.js";
import { sizeOf } from "./counted.js";
import { hoursPerMonth } from "./idle.js";
import type { Workload } from "./month.js";
import { type Region, regions } from "./prices.js";
import { showCostView } from "./show-cost.js";

export interface CostOptions {
  readonly events: number;
  /** Bytes. */
  readonly body: number;
  readonly failureRate: number;
  readonly fanOut: number;
  readonly outageHours: number;
  /** Milliseconds. */
  readonly latency: number;
  readonly batch: number;
  /** Seconds. */
  readonly retention: number;
}

const largestBodyBytes = 6 * 1_024 ** 2;
const secondsPerDay = 86_400;

/** Shows what a workload costs, with the region of the command line. */
export function showCosts(session: Session, options: CostOptions): void {
  const region = session.options.region ?? "us-east-1";
  const { batch, latency, retention, fanOut, outageHours, body, events, failureRate } = options;
  require(isRegion(region), `--region must be ${regions.join(" or ")}: others have no prices here.`);
  require(events >= 1, "--events must be at least 1.");
  require(body <= largestBodyBytes, "--body must be at most 6MB: larger ones are refused.");
  require(fanOut >= 1 && fanOut <= 1_000, "--fan-out must be 1 to 1000.");
  require(batch >= 1 && batch <= 10, "--batch must be 1 to 10: the delivery function takes no more.");
  require(outageHours >= 0 && outageHours <= hoursPerMonth, "--outage-hours must be 0 to 730, a whole month.");
  require(latency <= 80_000, "--latency must be at most 80s: attempts end with their deadline.");
  require(retention >= secondsPerDay, "--retention must be at least 1d.");
  const assumed: Assumptions = {
    ...defaults,
    batchSize: batch,
    latencyMs: latency,
    retentionDays: retention / secondsPerDay,
  };
  const workload: Workload = { events, size: sizeOf(body), failureRate, fanOut, outageHours };
  const view = costView(workload, assumed, region as Region);
  session.result(view, () => showCostView(session, view));
}

const isRegion = (name: string): name is Region => (regions as readonly string[]).includes(name);

function require(holds: boolean, message: string): void {
  if (!holds) throw usageError(message);
}
