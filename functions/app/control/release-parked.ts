import { isDeleted, releasesParked } from "../../core/gate.js";
import { attemptMessage, sendWhenDue, type WhenDue } from "../delivery/announce.js";
import { laneOf } from "../delivery/slow-lane.js";
import type {
  Clock,
  ControlQueue,
  DeliveryQueue,
  DeliveryTable,
  Gates,
  Lane,
  ParkedList,
  ReleaseMessage,
} from "../ports.js";

/** What a release needs from outside. */
export interface ReleaseContext extends WhenDue {
  readonly gates: Gates;
  readonly deliveries: DeliveryTable;
  readonly parked: ParkedList;
  readonly control: ControlQueue;
  readonly queue: DeliveryQueue;
  readonly now: Clock;
}

/** Deliveries that one tick sends, and the pause to the next: a hundred a second does not knock a host over. */
export const releasePage = 100;
const pageDelaySeconds = 1;
/** Before the second pass: entries that the index showed late, or that were parked while the gate opened, are seen. */
const passDelaySeconds = 30;

/**
 * One tick of a release: sends the next page of a subscription's parked deliveries, in the order in which their events
 * were received, and a message for the page after it. A delivery stays parked until its claim, so what a second look
 * finds may only wait in a backlog: there are two passes, and then only the sweeper's, ever rarer. Copies are dropped
 * by the claim. Ends early when the gate has closed again.
 */
export async function releaseParked(context: ReleaseContext, message: ReleaseMessage): Promise<void> {
  const { subscriptionId, generation } = message;
  const gate = await context.gates.find(subscriptionId, { fresh: true });
  // A deletion is final: its release needs no fence, and its parked deliveries are ended by their claims.
  if (gate === null || !releasesParked(gate) || (gate.generation !== generation && !isDeleted(gate))) return;
  const entries = await context.parked.parkedAfter(subscriptionId, message.after, releasePage);
  const sent = message.sent + (await sendPage(context, entries, await laneOf(context.gates, subscriptionId)));
  const last = entries.at(-1);
  if (last !== undefined) {
    return context.control.sendRelease({ ...message, after: last.position, sent }, pageDelaySeconds);
  }
  if (sent === 0) return context.gates.clearParked(gate);
  if (message.last === true) return;
  await context.control.sendRelease({ ...message, after: null, sent: 0, last: true }, passDelaySeconds);
}

async function sendPage(
  context: ReleaseContext,
  entries: readonly { readonly deliveryId: string }[],
  lane: Lane,
): Promise<number> {
  const deliveries = await context.deliveries.findDeliveries(entries.map((entry) => entry.deliveryId));
  const order = new Map(entries.map((entry, index) => [entry.deliveryId, index]));
  const parked = deliveries
    .filter((delivery) => delivery.status === "parked")
    .toSorted((a, b) => (order.get(a.deliveryId) ?? 0) - (order.get(b.deliveryId) ?? 0));
  const messages = parked.map((each) => attemptMessage(each, Math.max(context.now(), each.nextAttemptAtMs ?? 0)));
  const due = messages.filter((each) => each.dueAtMs <= context.now());
  if (due.length > 0) await context.queue.sendDeliveries(due, 0, lane);
  for (const later of messages.filter((each) => each.dueAtMs > context.now())) await sendWhenDue(context, later);
  return messages.length;
}
