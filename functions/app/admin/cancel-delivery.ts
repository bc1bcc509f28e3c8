import { deadLetter, isFinal } from "../../core/delivery.js";
import type { Delivery } from "../../core/model.js";
import { giveProbeBack } from "../ticks.js";
import type { AdminContext } from "./context.js";
import { deliveryView } from "./delivery-views.js";
import { gateMover } from "./gate-mover.js";
import { refusal, unknown } from "./problem.js";
import { untilUnchanged } from "./versions.js";
import type { DeliveryView } from "./view-schemas.js";
import { isoTime } from "./views.js";

/**
 * Ends an open delivery without a further attempt. Nobody is alarmed, and whatever message still comes for it finds that
 * it has ended. One that was cancelled before stays so.
 */
export function cancelDelivery(context: AdminContext, deliveryId: string): Promise<DeliveryView> {
  return untilUnchanged(async () => {
    const delivery = await context.deliveries.findDelivery(deliveryId);
    if (delivery === null) throw unknown("unknown_delivery", deliveryId);
    if (delivery.deadLetterReason === "cancelled") return ended(context, delivery);
    requireCancellable(delivery);
    const cancelled = deadLetter(delivery, "cancelled", context.now());
    return (await context.deliveries.replaceDelivery(delivery, cancelled)) ? ended(context, cancelled) : null;
  });
}

/** Was it to be the probe of its gate, the next one may be made. */
async function ended(context: AdminContext, delivery: Delivery): Promise<DeliveryView> {
  await giveProbeBack(gateMover(context), delivery);
  return deliveryView(delivery);
}

function requireCancellable(delivery: Delivery): void {
  const { deliveryId, status, claim } = delivery;
  if (isFinal(delivery)) {
    throw refusal(409, "already_final", `Delivery "${deliveryId}" is ${status}: there is nothing to cancel.`);
  }
  if (status !== "attempting") return;
  const until = isoTime(claim?.leaseUntilMs ?? 0);
  const fix = `ask again when it has ended, by ${until} at the latest`;
  throw refusal(409, "attempt_under_way", `Delivery "${deliveryId}" is being attempted: ${fix}.`);
}
