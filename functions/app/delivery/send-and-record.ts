import { recordAttempt } from "../../core/delivery.js";
import type { Claim, Delivery } from "../../core/model.js";
import type { Lane, OpenSubscription } from "../ports.js";
import { announceNext } from "./announce.js";
import { noteOutcome, type Passage } from "./circuit.js";
import type { DeliveryContext, InvocationTime } from "./delivery-context.js";
import { logAttempt } from "./log-attempt.js";
import { makeAttempt } from "./make-attempt.js";
import { recordContext, replace } from "./step.js";
import type { SendableEvent } from "./turn.js";

/** How an attempt is made: within which time, and by which way it came. */
export interface AttemptRun {
  readonly time: InvocationTime;
  readonly passage: Passage;
  readonly lane: Lane;
}

/** Makes the attempt that was claimed, records what came of it, and announces what follows. */
export async function sendAndRecord(
  context: DeliveryContext,
  claimed: Delivery,
  subscription: OpenSubscription,
  sendable: SendableEvent,
  { time, passage, lane }: AttemptRun,
): Promise<void> {
  const { event, content } = sendable;
  const claim = claimed.claim as Claim;
  const [{ attempt: made, gone }, stored] = await Promise.all([
    makeAttempt(context, { event, content, subscription, delivery: claimed, claim }, time),
    settled(sendable.store()),
  ]);
  // A recorded attempt always has its event. One more try, since the request is out and its outcome worth keeping.
  if (!stored) await sendable.store();
  const closed = gone && (await closeGate(context, subscription));
  // What a URL says that has been replaced is no verdict: the next attempt goes to the present one.
  const attempt = gone && !closed ? { ...made, outcome: "retryable" as const } : made;
  const recorded = recordAttempt(claimed, attempt, { gone: closed, ...recordContext(context, subscription) });
  const mine = (await replace(context, claimed, recorded)) === null;
  logAttempt(context, { subscription, event, passage, lane }, recorded, attempt, mine);
  // Not ours any more: the lease ended and somebody took over. Their state is newer; ours must not overwrite it.
  if (!mine) return;
  await announceNext(context, recorded);
  await noteOutcome(context, subscription, passage, attempt, claimed.deliveryId);
}

/**
 * The destination is gone for good: what comes is parked from now on, this delivery included. False: the subscription has
 * another URL by now, and its gate is left alone.
 */
async function closeGate(
  { subscriptions, gates, now }: DeliveryContext,
  { sourceId, subscriptionId, url }: OpenSubscription,
): Promise<boolean> {
  const ofSource = await subscriptions.ofSource(sourceId, { fresh: true });
  const present = ofSource.find((each) => each.subscriptionId === subscriptionId);
  if (present?.url !== url) return false;
  await gates.disable(subscriptionId, "gone", present.version, now());
  await gates.noteParked(subscriptionId, now());
  return true;
}

async function settled(step: Promise<void>): Promise<boolean> {
  try {
    await step;
    return true;
  } catch {
    return false;
  }
}
