import type { Clock, DeliveryTable } from "../ports.js";

/** Some of the parked deliveries over all subscriptions. */
export interface ParkedSample {
  /** Ids of those whose wait ends first, which is the oldest ones where no time budget is short; at most 100. */
  soonestToEnd(): Promise<readonly string[]>;
}

export interface OldestParkedContext {
  readonly parkedSample: ParkedSample;
  readonly deliveries: Pick<DeliveryTable, "findDeliveries">;
  readonly now: Clock;
}

/** Seconds since the oldest parked delivery was made; 0 when none is parked. */
export async function oldestParkedSeconds({ parkedSample, deliveries, now }: OldestParkedContext): Promise<number> {
  const ids = await parkedSample.soonestToEnd();
  const found = ids.length === 0 ? [] : await deliveries.findDeliveries(ids);
  const parked = found.filter(({ status }) => status === "parked");
  const oldestMs = Math.min(now(), ...parked.map(({ createdAtMs }) => createdAtMs));
  return Math.round((now() - oldestMs) / 1000);
}
