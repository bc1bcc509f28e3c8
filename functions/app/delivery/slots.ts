import type { Gate, Subscription } from "../../core/model.js";
import { isBooked, slotIntervalMs, slotValidMs, waitOnTheSpotMs } from "../../core/rate.js";
import type { DeliveryContext } from "./delivery-context.js";

/** What `maxPerSecond` says about a request. */
export type Slot =
  /** It is its turn (any waiting is done). */
  | { readonly turn: "now" }
  /** Its slot is so far away that its message waits for it, once. */
  | { readonly turn: "later"; readonly slotAtMs: number }
  /** There is none within the time that a message can wait. */
  | { readonly turn: "none" };

export const thisMoment: Slot = { turn: "now" };

/** Waits for the request's slot where that takes a moment only; `reserved`: the slot that its message carries. */
export async function slotFor(
  context: DeliveryContext,
  { subscriptionId, maxPerSecond }: Subscription,
  gate: Gate,
  reserved: number | undefined,
): Promise<Slot> {
  if (maxPerSecond === null) return thisMoment;
  const nowMs = context.now();
  const isValid = reserved !== undefined && reserved > nowMs - slotValidMs;
  if (!isValid && isBooked(gate, nowMs)) return { turn: "none" };
  const slotAtMs = isValid
    ? reserved
    : await context.gates.reserveSlot(subscriptionId, slotIntervalMs(maxPerSecond), nowMs);
  if (slotAtMs === null) return { turn: "none" };
  const waitMs = slotAtMs - context.now();
  if (waitMs > waitOnTheSpotMs) return { turn: "later", slotAtMs };
  if (waitMs > 0) await new Promise<void>((resolve) => context.after(waitMs, resolve));
  return thisMoment;
}
