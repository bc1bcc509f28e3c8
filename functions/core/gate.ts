import type { Gate } from "./model.js";

/** The gate of a deleted subscription: nothing passes it, and what is parked there is let go to be ended. */
export function isDeleted(gate: Gate): boolean {
  return gate.statusReason === "deleted";
}

/** An attempt that is open for longer than this hangs, whatever its timeouts allow it in the end. */
export const hangingMs = 5_000;

/**
 * How long a subscription is slow after an attempt of it hung. Longer than an attempt may take and the wait for a place
 * in a full slow lane, so that a destination that goes on hanging stays there.
 */
export const slowForMs = 5 * 60_000;

/** True while its deliveries take the slow lane. Ends by itself: nobody has to see that the destination is fast again. */
export function isSlow(gate: Pick<Gate, "slowUntilMs"> | null, nowMs: number): boolean {
  return (gate?.slowUntilMs ?? 0) > nowMs;
}

/** From when on hanging again is worth a write: half the time is over. Until then it is noted well enough. */
export const slowNoteEndMs = (slowUntilMs: number): number => slowUntilMs - slowForMs / 2;

/** True when parked deliveries are to be let go: to be attempted, or, after a deletion, to be ended. */
export function releasesParked(gate: Gate): boolean {
  return gate.status === "active" || isDeleted(gate);
}
