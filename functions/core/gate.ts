import type { Gate } from "./model.js";

/** The gate of a deleted subscription: nothing passes it, and what is parked there is let go to be ended. */
export function isDeleted(gate: Gate): boolean {
  return gate.statusReason === "deleted";
}

/** True when parked deliveries are to be let go: to be attempted, or, after a deletion, to be ended. */
export function releasesParked(gate: Gate): boolean {
  return gate.status === "active" || isDeleted(gate);
}
