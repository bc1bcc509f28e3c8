import { isOutdated } from "../../core/gate.js";
import type { Delivery, Gate } from "../../core/model.js";
import type { OpenSubscription } from "../ports.js";
import type { DeliveryContext } from "./delivery-context.js";
import { currentGate } from "./gate-check.js";

/**
 * A subscription and its gate as an attempt goes by them. The cached subscription may be some seconds old, but never
 * older than an operator's last move of the gate: what a resume lets go, goes to the URL that was set before it.
 */
export async function presentSubscription(
  context: DeliveryContext,
  { sourceId, subscriptionId }: Pick<Delivery, "sourceId" | "subscriptionId">,
  stored: Delivery | null,
): Promise<readonly [OpenSubscription | null, Gate | null]> {
  const [known, gate] = await Promise.all([
    context.subscriptions.open(sourceId, subscriptionId),
    currentGate(context, subscriptionId, stored),
  ]);
  if (known === null || gate === null || !isOutdated(known, gate)) return [known, gate];
  const { subscriptionVersion: atLeastVersion = 0 } = gate;
  return [await context.subscriptions.open(sourceId, subscriptionId, { atLeastVersion }), gate];
}
