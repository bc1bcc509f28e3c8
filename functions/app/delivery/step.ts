import type { RecordContext } from "../../core/delivery.js";
import type { Delivery } from "../../core/model.js";
import type { OpenSubscription } from "../ports.js";
import { announceNext } from "./announce.js";
import { countTransition } from "./count-transition.js";
import { acknowledged, type DeliveryContext, type MessageEnd } from "./delivery-context.js";
import type { SendableEvent } from "./turn.js";

/** The steps of a delivery: each is one conditional write, and whoever loses it looks at what is stored instead. */

/** What is stored now: the conditional write, if there was one, found another state than the one it started from. */
export interface Look {
  readonly stored: Delivery | null;
}

export type Step = MessageEnd | Look;

/**
 * One conditional write: null when it was made, else what is stored instead. A failed condition may be our own write
 * whose answer was lost: then what is stored is what we wrote.
 */
export async function replace(
  context: DeliveryContext,
  previous: Delivery | null,
  next: Delivery,
): Promise<Look | null> {
  if (!(await context.deliveries.replaceDelivery(previous, next))) {
    const stored = await context.deliveries.findDelivery(next.deliveryId);
    if (stored === null || !isOwnWrite(stored, next)) return { stored };
  }
  countTransition(context.metrics, previous, next);
  return null;
}

/** The token alone is not enough: a take-over leaves it, so that a late result would pass for the record of it. */
function isOwnWrite(stored: Delivery, written: Delivery): boolean {
  return (
    written.claim !== null &&
    stored.claim?.token === written.claim.token &&
    stored.status === written.status &&
    stored.updatedAtMs === written.updatedAtMs &&
    stored.attempts.at(-1)?.outcome === written.attempts.at(-1)?.outcome
  );
}

/** Writes a state that needs no attempt, after the event is stored, and announces it. */
export async function writeAndAnnounce(
  context: DeliveryContext,
  stored: Delivery | null,
  next: Delivery,
  sendable: SendableEvent,
): Promise<Step> {
  await sendable.store();
  const lost = await replace(context, stored, next);
  if (lost !== null) return lost;
  await announceNext(context, next);
  return acknowledged;
}

/** What a record needs besides the attempt, under the policy of a subscription. */
export function recordContext(context: DeliveryContext, { policy }: OpenSubscription): RecordContext {
  const { retentionDays } = context.settings;
  return { policy, retentionDays, nowMs: context.now(), random: context.random };
}
