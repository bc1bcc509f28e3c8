import { hangingMs, isSlow } from "../../core/gate.js";
import type { Gate } from "../../core/model.js";
import type { Gates, Lane } from "../ports.js";
import type { DeliveryContext, Receipt } from "./delivery-context.js";

/**
 * The slow lane: a second queue, with its own consumers, for the deliveries of subscriptions whose attempts hang. An
 * attempt that hangs holds its invocation; on a lane of their own such invocations never hold every slot.
 */

/**
 * Awaits a request, and notes while it is still open that its subscription's attempts hang: the deliveries behind it
 * must not wait for its end to find out.
 */
export async function watchingForHangs<Result>(
  context: Pick<DeliveryContext, "after" | "gates" | "now" | "log">,
  subscriptionId: string,
  request: Promise<Result>,
): Promise<Result> {
  let noting: Promise<void> | undefined;
  const callOff = context.after(hangingMs, () => {
    noting = noteHanging(context, subscriptionId);
  });
  try {
    return await request;
  } finally {
    callOff();
    await noting;
  }
}

async function noteHanging(
  { gates, now, log }: Pick<DeliveryContext, "gates" | "now" | "log">,
  subscriptionId: string,
): Promise<void> {
  log("info", "attempt hangs", { subscriptionId, seconds: hangingMs / 1000 });
  try {
    await gates.noteSlow(subscriptionId, now());
  } catch (error) {
    // The next attempt that hangs notes it; this one's outcome is worth more.
    log("warn", "slow subscription not noted", { subscriptionId, error });
  }
}

/** The lane for a message of the subscription, as far as memory knows: the fast one hands over what it should not have. */
export async function laneOf(gates: Gates, subscriptionId: string): Promise<Lane> {
  return (await gates.knownSlow(subscriptionId)) ? "slow" : "fast";
}

/** True for a message that came by the fast lane to a slow subscription. On the slow lane whatever comes is worked on. */
export function belongsToSlowLane(gate: Gate | null, { lane = "fast" }: Receipt, nowMs: number): boolean {
  return lane === "fast" && isSlow(gate, nowMs);
}
