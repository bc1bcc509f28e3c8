import type { Gate } from "./model.js";

/** `maxPerSecond`: requests have slots, one interval apart, which whoever makes them reserves on the gate. */

/** Longest wait for a slot, the longest delay of a queue: whoever would wait for longer is parked. */
export const longestSlotWaitMs = 900_000;
/** A slot that is past for longer than this is void: after a backlog all of them would be used at once. */
export const slotValidMs = 5_000;
/** A slot that is no further away is waited for on the spot: queues delay by whole seconds only. */
export const waitOnTheSpotMs = 1_000;

/** Slots are given out at a little less than the limit: what comes some milliseconds late must not exceed it. */
const usedShare = 0.95;

/** Milliseconds from one slot to the next. */
export const slotIntervalMs = (maxPerSecond: number): number => 1000 / (maxPerSecond * usedShare);

/** True when the slots are taken for as long as anybody would wait. */
export function isBooked({ nextFreeAtMs }: Pick<Gate, "nextFreeAtMs">, nowMs: number): boolean {
  return nextFreeAtMs !== undefined && nextFreeAtMs - nowMs > longestSlotWaitMs;
}

/** Of `count` slots from `firstMs` on, as many as somebody would wait for: the others are not taken from anybody. */
export function usableSlots(count: number, firstMs: number, intervalMs: number, nowMs: number): number {
  const fitting = Math.floor((nowMs + longestSlotWaitMs - firstMs) / intervalMs) + 1;
  return Math.max(0, Math.min(count, fitting));
}

/** Slots that are free within the next second: what is left for a release beside new events. */
export function freeSlots({ nextFreeAtMs }: Pick<Gate, "nextFreeAtMs">, maxPerSecond: number, nowMs: number): number {
  const intervalMs = slotIntervalMs(maxPerSecond);
  const startMs = Math.max(nowMs, nextFreeAtMs ?? nowMs);
  const endMs = nowMs + Math.max(1000, intervalMs);
  // Rounded: of 3.8 a second three would be too few, and a fourth one waits a moment.
  return Math.max(0, Math.round((endMs - startMs) / intervalMs));
}
