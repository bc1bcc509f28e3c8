import type { AdminContext } from "./context.js";
import type { StatsView } from "./view-schemas.js";
import { isoTime } from "./views.js";

const dayMs = 86_400_000;

/** How much is open, and how much waits: counts from the sparse index, each up to a bound, and depths of the queues. */
export async function findStats({ deliveryCounts, faultList, queues, now }: AdminContext): Promise<StatsView> {
  const nowMs = now();
  const [retrying, parked, deadLettered, deadLetteredLastDay, faults, depths] = await Promise.all([
    deliveryCounts.count("retry_scheduled"),
    deliveryCounts.count("parked"),
    deliveryCounts.count("dead_lettered"),
    deliveryCounts.count("dead_lettered", nowMs - dayMs),
    faultList.count(),
    queues.depths(),
  ]);
  return {
    asOf: isoTime(nowMs),
    deliveries: { retrying, parked, deadLettered, deadLetteredLastDay },
    faults,
    queues: depths,
  };
}
