import type { Delivery } from "./model.js";

/** When what is stored may go: rules of every table, whatever it is made of. */

const dayMs = 86_400_000;
/** A delivery that ended late (parked, replayed) still stays this long. */
const leastVisibleDays = 7;
/** Days that an event outlives the retention of its deliveries: a replay always finds its event. */
const eventMarginDays = 7;

/** Epoch seconds at which a delivery expires; undefined: never, since only final deliveries do. */
export function deliveryExpiresAt(delivery: Delivery, retentionDays: number): number | undefined {
  if (delivery.status !== "delivered" && delivery.status !== "dead_lettered") return undefined;
  const byAge = delivery.receivedAtMs + retentionDays * dayMs;
  return Math.ceil(Math.max(byAge, delivery.updatedAtMs + leastVisibleDays * dayMs) / 1000);
}

/** Epoch seconds at which an event expires: after its deliveries. */
export function eventExpiresAt(receivedAtMs: number, retentionDays: number): number {
  return Math.ceil(receivedAtMs / 1000) + ((retentionDays + eventMarginDays) * dayMs) / 1000;
}

/** Days that a request whose signature was wrong waits for somebody to look at it. */
const quarantineDays = 7;

/** Epoch seconds at which a quarantined event expires. */
export function quarantineExpiresAt(receivedAtMs: number): number {
  return Math.ceil(receivedAtMs / 1000) + (quarantineDays * dayMs) / 1000;
}

/** A table's own clean-up takes up to days: what has expired is treated as gone until then. */
export function hasExpired(expiresAt: number | undefined, nowMs: number): boolean {
  return expiresAt !== undefined && expiresAt < Math.floor(nowMs / 1000);
}

/** Epoch seconds at which a deleted subscription is forgotten: as long as its deliveries' events are kept. */
export function tombstoneExpiresAt(deletedAtMs: number, retentionDays: number): number {
  return eventExpiresAt(deletedAtMs, retentionDays);
}
