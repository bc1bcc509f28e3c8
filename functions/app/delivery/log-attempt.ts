import type { Attempt, Delivery, EventMeta } from "../../core/model.js";
import type { Lane, OpenSubscription } from "../ports.js";
import type { Passage } from "./circuit.js";
import type { DeliveryContext } from "./delivery-context.js";

/** What an attempt's line tells besides the attempt. */
export interface AttemptSurroundings {
  readonly subscription: OpenSubscription;
  readonly event: EventMeta;
  readonly passage: Passage;
  readonly lane: Lane;
}

/**
 * One wide line per attempt: what an operator filters by, nothing that the destination sent. What is not there is left
 * out: every event pays for its bytes.
 */
export function logAttempt(
  context: DeliveryContext,
  { subscription, event, passage, lane }: AttemptSurroundings,
  delivery: Delivery,
  attempt: Attempt,
  recorded: boolean,
): void {
  const { nextAttemptAtMs } = delivery;
  context.log(attempt.outcome === "delivered" ? "info" : "warn", "attempt", {
    deliveryId: delivery.deliveryId,
    eventId: delivery.eventId,
    sourceId: delivery.sourceId,
    subscriptionId: delivery.subscriptionId,
    replayOf: delivery.replayOf ?? undefined,
    host: new URL(subscription.url).host,
    attempt: attempt.number,
    maxAttempts: subscription.policy.maxAttempts,
    outcome: attempt.outcome,
    statusCode: attempt.statusCode ?? undefined,
    error: attempt.error ?? undefined,
    durationMs: attempt.durationMs,
    ...attempt.timings,
    delaySeconds: attempt.delaySeconds,
    status: delivery.status,
    deadLetterReason: delivery.deadLetterReason ?? undefined,
    nextAttemptAt: nextAttemptAtMs === null ? undefined : new Date(nextAttemptAtMs).toISOString(),
    circuit: passage.isProbe ? "half_open" : "closed",
    lane,
    bodyBytes: event.bodyBytes,
    ...(recorded ? {} : { superseded: true }),
  });
}
