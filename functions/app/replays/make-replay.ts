import { newDelivery } from "../../core/delivery.js";
import type { Delivery, Subscription } from "../../core/model.js";
import { attemptMessage } from "../delivery/announce.js";
import type { Clock, DeliveryMessage, DeliveryQueue, DeliveryTable, ReplayNotes } from "../ports.js";

/** What it takes to make a replay. */
export interface ReplayContext {
  readonly deliveries: DeliveryTable & ReplayNotes;
  readonly queue: DeliveryQueue;
  readonly now: Clock;
}

/** Where a replay goes. */
export type ReplayTarget = Pick<Subscription, "sourceId" | "subscriptionId">;

/** Lost this often in a row to others who note replays of the same delivery: nobody replays one so often. */
const triesAtMost = 5;

/**
 * Makes the replay of a final delivery that has this id, once: noted on the original, then stored; gives what is stored.
 * In this order no replay is unknown to its original. Its message is not sent yet: one that is lost, or never sent, the
 * sweeper finds.
 */
export async function storeReplay(
  context: Pick<ReplayContext, "deliveries" | "now">,
  original: Delivery,
  replayId: string,
  target: ReplayTarget,
): Promise<Delivery>;
/** `unlessReplayed`: null when another replay was noted since the original was read. */
export async function storeReplay(
  context: Pick<ReplayContext, "deliveries" | "now">,
  original: Delivery,
  replayId: string,
  target: ReplayTarget,
  options: { readonly unlessReplayed: boolean },
): Promise<Delivery | null>;
export async function storeReplay(
  context: Pick<ReplayContext, "deliveries" | "now">,
  original: Delivery,
  replayId: string,
  target: ReplayTarget,
  { unlessReplayed } = { unlessReplayed: false },
): Promise<Delivery | null> {
  if (!(await note(context, original, replayId, unlessReplayed))) return null;
  const replay = newDelivery(originOf(original, replayId, target), context.now(), original.deliveryId);
  if (await context.deliveries.replaceDelivery(null, replay)) return replay;
  const stored = await context.deliveries.findDelivery(replayId);
  if (stored === null) throw new Error(`replay ${replayId} vanished between a write and a read`);
  return stored;
}

/** False: another replay was noted meanwhile, and this one is not wanted then. */
async function note(
  { deliveries }: Pick<ReplayContext, "deliveries">,
  original: Delivery,
  replayId: string,
  unlessReplayed: boolean,
): Promise<boolean> {
  const known = original.replayedAs ?? [];
  let current: Delivery | null = original;
  for (let tries = 0; tries < triesAtMost && current !== null; tries++) {
    if (await deliveries.noteReplay(current, replayId)) return true;
    current = await deliveries.findDelivery(original.deliveryId);
    const noted = current?.replayedAs ?? [];
    if (unlessReplayed && noted.length > known.length && !noted.includes(replayId)) return false;
  }
  throw new Error(`the replay of ${original.deliveryId} could not be noted on it`);
}

function originOf(original: Delivery, deliveryId: string, { sourceId, subscriptionId }: ReplayTarget) {
  const { eventId, bodySha256, receivedAtMs } = original;
  return { deliveryId, eventId, sourceId, subscriptionId, bodySha256, receivedAtMs };
}

/** Sends those that wait for their first message. Sent twice, the second one is a copy, which the claim drops. */
export async function sendStored(
  { queue, now }: Pick<ReplayContext, "queue" | "now">,
  stored: readonly Delivery[],
): Promise<void> {
  const messages: readonly DeliveryMessage[] = stored
    .filter(({ status }) => status === "pending")
    .map((each) => attemptMessage(each, now()));
  if (messages.length > 0) await queue.sendDeliveries(messages, 0);
}
