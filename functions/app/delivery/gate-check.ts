import type { Gate } from "../../core/model.js";
import type { DeliveryContext } from "./delivery-context.js";

/** The gate. Closed is believed only from a fresh read: a cached "paused" would drop what a resume just released. */
export async function currentGate(context: DeliveryContext, subscriptionId: string): Promise<Gate | null> {
  const cached = await context.gates.find(subscriptionId);
  return cached?.status === "active" ? cached : context.gates.find(subscriptionId, { fresh: true });
}

/** True when deliveries are held here. */
export const isClosed = (gate: Gate | null): boolean => gate !== null && gate.status !== "active";
