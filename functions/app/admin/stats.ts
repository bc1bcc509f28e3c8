import type { AdminContext } from "./context.js";
import { pastCounts } from "./past-counts.js";
import type { StatsQuery } from "./stats-schemas.js";
import type { StatsView } from "./view-schemas.js";
import { isoTime } from "./views.js";

const dayMs = 86_400_000;

/**
 * How much is open, and how much waits: counts from the sparse index, each up to a bound, and depths of the queues. What
 * is over is counted by the metrics, since nobody could count it in the table.
 */
export async function findStats(context: AdminContext, { series }: StatsQuery): Promise<StatsView> {
  const { deliveryCounts, faultList, queues, history, now } = context;
  const nowMs = now();
  const [retrying, parked, deadLettered, deadLetteredLastDay, faults, depths, past] = await Promise.all([
    deliveryCounts.count("retry_scheduled"),
    deliveryCounts.count("parked"),
    deliveryCounts.count("dead_lettered"),
    deliveryCounts.count("dead_lettered", nowMs - dayMs),
    faultList.count(),
    queues.depths(),
    pastCounts(history, series, nowMs),
  ]);
  return {
    asOf: isoTime(nowMs),
    deliveries: { retrying, parked, deadLettered, deadLetteredLastDay },
    faults,
    queues: depths,
    ...past,
  };
}
