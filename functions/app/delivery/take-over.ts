import { endLostAttempt, recordLostAttempt } from "../../core/delivery.js";
import type { Delivery } from "../../core/model.js";
import { announceNext } from "./announce.js";
import { acknowledged, type DeliveryContext } from "./delivery-context.js";
import { recordContext, replace, type Step } from "./step.js";

/** Takes over an attempt whose lease ended without a record: what came of it is unknown, and the delivery goes on. */
export async function takeOver(context: DeliveryContext, stored: Delivery): Promise<Step> {
  const subscription = await context.subscriptions.open(stored.sourceId, stored.subscriptionId);
  const next =
    subscription === null || subscription.deletedAtMs !== null
      ? endLostAttempt(stored, "subscription_deleted", context.now())
      : recordLostAttempt(stored, recordContext(context, subscription));
  const lost = await replace(context, stored, next);
  if (lost !== null) return lost;
  context.log("warn", "attempt lost, outcome unknown", {
    deliveryId: stored.deliveryId,
    attempt: stored.attemptsStarted,
  });
  await announceNext(context, next);
  return acknowledged;
}
