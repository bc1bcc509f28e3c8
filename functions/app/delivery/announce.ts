import type { DeadLetterReason, Delivery } from "../../core/model.js";
import type { DeadLetterMessage, DeliveryMessage } from "../ports.js";
import type { DeliveryContext } from "./delivery-context.js";
import { laneOf } from "./slow-lane.js";

/**
 * Announces what a recorded delivery needs next: a message for its next attempt, or a dead letter. Runs after the
 * record and before the acknowledgement; repeating it is harmless, since the claim arbitrates between copies.
 */
export async function announceNext(context: DeliveryContext, delivery: Delivery): Promise<void> {
  if (delivery.status === "retry_scheduled") return announceAttempt(context, delivery);
  if (delivery.status === "dead_lettered") return announceDeadLetter(context, delivery);
}

async function announceAttempt(context: DeliveryContext, delivery: Delivery): Promise<void> {
  await sendWhenDue(context, attemptMessage(delivery, delivery.nextAttemptAtMs ?? context.now()));
}

/** The message of a stored delivery's next attempt. */
export function attemptMessage(delivery: Delivery, dueAtMs: number): DeliveryMessage {
  const { deliveryId, eventId, sourceId, subscriptionId } = delivery;
  const attempt = delivery.attemptsStarted + 1;
  const stored = attempt === 1 ? ({ stored: true } as const) : {};
  return { v: 1, kind: "delivery", deliveryId, eventId, sourceId, subscriptionId, attempt, dueAtMs, ...stored };
}

/** What {@link sendWhenDue} needs. */
export type WhenDue = Pick<DeliveryContext, "gates" | "queue" | "scheduler" | "now" | "log"> & {
  readonly settings: Pick<DeliveryContext["settings"], "maxQueueDelaySeconds">;
};

/** Sends a message so that it arrives when it is due: by SQS delay, or by a schedule when that is too far away. */
export async function sendWhenDue(context: WhenDue, message: DeliveryMessage): Promise<void> {
  const { maxQueueDelaySeconds } = context.settings;
  const delaySeconds = Math.max(0, Math.ceil((message.dueAtMs - context.now()) / 1000));
  const lane = await laneOf(context.gates, message.subscriptionId);
  if (delaySeconds <= maxQueueDelaySeconds) return context.queue.sendDeliveries([message], delaySeconds, lane);
  try {
    await context.scheduler.scheduleDelivery(scheduleName(message), message, message.dueAtMs);
  } catch (error) {
    // The queue is the second way: the message arrives early and is sent again for the remainder.
    context.log("warn", "schedule refused, hopping by queue", { deliveryId: message.deliveryId, error });
    await context.queue.sendDeliveries([message], maxQueueDelaySeconds, lane);
  }
}

/** At most 64 of `[0-9a-zA-Z-_.]`. The due second is part of it: a delivery that is due anew gets a new schedule. */
export function scheduleName(message: DeliveryMessage): string {
  return `${message.deliveryId}-${message.attempt}-${Math.ceil(message.dueAtMs / 1000)}`;
}

/** Reasons that somebody chose: they are no alarm. */
const quietReasons: ReadonlySet<DeadLetterReason | null> = new Set(["cancelled", "subscription_deleted"] as const);

/** True for a dead letter that nobody needs to hear of. */
export const isQuiet = ({ deadLetterReason }: Delivery): boolean => quietReasons.has(deadLetterReason);

async function announceDeadLetter(context: DeliveryContext, delivery: Delivery): Promise<void> {
  const reason = delivery.deadLetterReason ?? "permanent";
  if (isQuiet(delivery)) return;
  const last = delivery.attempts.at(-1);
  const message: DeadLetterMessage = {
    v: 1,
    kind: "dead_letter",
    deliveryId: delivery.deliveryId,
    eventId: delivery.eventId,
    sourceId: delivery.sourceId,
    subscriptionId: delivery.subscriptionId,
    reason,
    attempts: delivery.attemptsStarted,
    lastOutcome: last === undefined ? null : { statusCode: last.statusCode, error: last.error },
    deadLetteredAt: new Date(delivery.updatedAtMs).toISOString(),
  };
  await context.deadLetters.sendDeadLetter(message);
}
