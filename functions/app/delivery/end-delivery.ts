import type { Delivery, Gate } from "../../core/model.js";
import { giveProbeBack } from "../ticks.js";
import type { DeliveryContext } from "./delivery-context.js";
import { type Step, writeAndAnnounce } from "./step.js";
import type { SendableEvent } from "./turn.js";

/** Writes the end of a delivery that gets no attempt. Was it to be the probe of its gate, the next one may be made. */
export async function endDelivery(
  context: DeliveryContext,
  gate: Gate | null,
  stored: Delivery | null,
  ended: Delivery,
  sendable: SendableEvent,
): Promise<Step> {
  const step = await writeAndAnnounce(context, stored, ended, sendable);
  const isProbes = gate?.circuit?.probe?.deliveryId === ended.deliveryId;
  if ("ack" in step && isProbes) await endProbeOf(context, ended);
  return step;
}

/**
 * A delivery that has ended before its attempt makes no probe: it is given back. Rejects when that failed; the message
 * that ended the delivery, received again, repeats it.
 */
export async function endProbeOf(context: DeliveryContext, { subscriptionId, deliveryId }: Delivery): Promise<void> {
  if (!(await giveProbeBack(context, { subscriptionId, deliveryId }))) return;
  context.log("info", "probe given back", { subscriptionId, deliveryId });
}
