import type { Attempt, Delivery } from "../../core/model.js";
import type { OpenSubscription } from "../ports.js";
import type { DeliveryContext } from "./delivery-context.js";

/** One wide line per attempt: what an operator filters by, nothing that the destination sent. */
export function logAttempt(
  context: DeliveryContext,
  subscription: OpenSubscription,
  delivery: Delivery,
  attempt: Attempt,
  recorded: boolean,
): void {
  context.log(attempt.outcome === "delivered" ? "info" : "warn", "attempt", {
    deliveryId: delivery.deliveryId,
    eventId: delivery.eventId,
    sourceId: delivery.sourceId,
    subscriptionId: delivery.subscriptionId,
    host: new URL(subscription.url).host,
    attempt: attempt.number,
    outcome: attempt.outcome,
    statusCode: attempt.statusCode,
    error: attempt.error,
    durationMs: attempt.durationMs,
    delaySeconds: attempt.delaySeconds,
    status: delivery.status,
    deadLetterReason: delivery.deadLetterReason,
    nextAttemptAt: delivery.nextAttemptAtMs === null ? null : new Date(delivery.nextAttemptAtMs).toISOString(),
    ...(recorded ? {} : { superseded: true }),
  });
}
