import type { Delivery, Gate, Subscription } from "./model.js";

/**
 * What a gate lets pass. It is closed to ordinary deliveries while the subscription is not active, while its circuit is
 * open, and while the destination has asked for a pause; what comes then is parked.
 */

/** The gate of a deleted subscription: nothing passes it, and what is parked there is let go to be ended. */
export function isDeleted(gate: Gate): boolean {
  return gate.statusReason === "deleted";
}

/** True when every delivery may pass. */
export function isPassable(gate: Gate, nowMs: number): boolean {
  return gate.status === "active" && gate.circuit === undefined && !isHeld(gate, nowMs);
}

/** True while the destination's `Retry-After` is not over: it slows the subscription, not one delivery. */
export function isHeld({ heldUntilMs }: Pick<Gate, "heldUntilMs">, nowMs: number): boolean {
  return heldUntilMs !== undefined && heldUntilMs > nowMs;
}

/** A hold that is over within this time is waited for in the queue: new deliveries come before those that are parked. */
const shortHoldMs = 10_000;
/** Those that wait together come back within this time, not at once. */
const holdSpreadMs = 5_000;
/** One that is late by this much is parked: it would come to one short hold after the other, and nobody would see it. */
const lateMs = 60_000;

type Due = Pick<Delivery, "nextAttemptAtMs" | "replayOf" | "createdAtMs" | "receivedAtMs">;

/** Since when a delivery's next attempt is due. */
const dueSinceMs = ({ nextAttemptAtMs, replayOf, createdAtMs, receivedAtMs }: Due): number =>
  nextAttemptAtMs ?? (replayOf === null ? receivedAtMs : createdAtMs);

/** Milliseconds until a delivery comes again to a gate that is held for a short time only; null: it is parked instead. */
export function shortHoldWaitMs(gate: Gate, delivery: Due, nowMs: number, random: () => number): number | null {
  if (gate.status !== "active" || gate.circuit !== undefined || !isHeld(gate, nowMs)) return null;
  if (nowMs - dueSinceMs(delivery) > lateMs) return null;
  const leftMs = (gate.heldUntilMs as number) - nowMs;
  return leftMs > shortHoldMs ? null : leftMs + random() * holdSpreadMs;
}

/** True for a subscription as it was before an operator last moved the gate: what it says, and its URL, are over. */
export function isOutdated(
  { version }: Pick<Subscription, "version">,
  gate: Pick<Gate, "subscriptionVersion">,
): boolean {
  return version < (gate.subscriptionVersion ?? 0);
}

/** True when parked deliveries are to be let go: to be attempted, or, after a deletion, to be ended. */
export function releasesParked(gate: Gate, nowMs: number): boolean {
  return isPassable(gate, nowMs) || isDeleted(gate);
}

/** True when the sweeper sees to the gate: to what is parked, to an open circuit, to what a deletion left. */
export function isWatched(gate: Gate): boolean {
  return gate.holdsParked || gate.circuit !== undefined || isDeleted(gate);
}

/**
 * True when a change of the gate says whether it holds parked deliveries. Where it was read so and stays so, nothing is
 * said: some may have been parked since.
 */
export function saysHoldsParked(previous: Gate, next: Gate): boolean {
  return previous.holdsParked !== next.holdsParked || isWatched(previous) !== isWatched(next);
}

/** Counts go with their generation, the rest has ways of its own. */
const fieldsToReplace = [
  "status",
  "statusReason",
  "generation",
  "subscriptionVersion",
  "circuit",
  "heldUntilMs",
  "tick",
  "release",
] as const;

/** What a replacement writes: fields that differ, undefined where one is gone. What others have changed meanwhile stays. */
export function replacedFields(previous: Gate, next: Gate): { readonly [name: string]: unknown } {
  const changed = fieldsToReplace.filter((name) => previous[name] !== next[name]);
  return Object.fromEntries(changed.map((name) => [name, next[name]]));
}

/** What the gate becomes when what is passable changes: everything of the generation before is fenced off. */
export function nextGeneration(gate: Gate, change: Pick<Gate, "status" | "statusReason">, nowMs: number): Gate {
  const { circuit: _over, counts: _counted, heldUntilMs: _held, release, ...kept } = gate;
  // The pace that the last release found is where the next one begins.
  const ended = release === undefined ? {} : { release: { endedAtMs: nowMs, ...release } };
  return { ...kept, ...ended, ...change, generation: gate.generation + 1, changedAtMs: nowMs };
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
