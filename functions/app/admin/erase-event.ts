import { deadLetter, isFinal, newDelivery } from "../../core/delivery.js";
import { erasedDelivery } from "../../core/erasure.js";
import type { Delivery } from "../../core/model.js";
import type { StoredEvent } from "../ports.js";
import { giveProbeBack } from "../ticks.js";
import type { AdminContext } from "./context.js";
import { originOf, requireEvent } from "./events.js";
import { gateMover } from "./gate-mover.js";
import { refusal } from "./problem.js";
import type { ErasureView } from "./view-schemas.js";
import { isoTime } from "./views.js";

const dayMs = 86_400_000;

/** Passes over the deliveries of an event: a replay that is made meanwhile is found by the next one. */
const mostPasses = 5;

/**
 * Erases what was sent and what was answered, and keeps that it was: ids, times, states. Open deliveries are cancelled
 * first; one that is being attempted right now refuses the erasure, which may be repeated. It may be repeated at any
 * time: each step does nothing when it is done.
 */
export async function eraseEvent(context: AdminContext, eventId: string): Promise<ErasureView> {
  const stored = await requireEvent(context, eventId);
  await endOpen(context, stored);
  // The bucket first: the item is the last that knows of it.
  await context.contentErasure.eraseContents(eventId);
  const erasedAtMs = stored.erasedAtMs ?? context.now();
  await context.events.eraseEvent(eventId, erasedAtMs);
  for (let pass = 0; pass < mostPasses; pass++) {
    const deliveries = await endOpen(context, stored);
    const open = deliveries.filter((each) => each.erasedAtMs === undefined);
    if (open.length === 0) return { eventId, erasedAt: isoTime(erasedAtMs), deliveries: deliveries.length };
    for (const each of open) await context.deliveries.replaceDelivery(each, erasedDelivery(each, context.now()));
  }
  throw refusal(409, "changed_meanwhile", `Event "${eventId}" is being replayed meanwhile: erase it once more.`);
}

/** All deliveries of the event, each of them final. */
async function endOpen(context: AdminContext, stored: StoredEvent): Promise<readonly Delivery[]> {
  const nowMs = context.now();
  const found = await allDeliveries(context, stored);
  const attempting = found.find(({ status }) => status === "attempting");
  if (attempting !== undefined) {
    const until = isoTime(attempting.claim?.leaseUntilMs ?? nowMs);
    const what = `Delivery "${attempting.deliveryId}" is being attempted`;
    throw refusal(409, "attempt_under_way", `${what}: erase the event when that has ended, by ${until} at the latest.`);
  }
  return Promise.all(found.map((each) => (isFinal(each) ? each : end(context, each))));
}

async function end(context: AdminContext, delivery: Delivery): Promise<Delivery> {
  const cancelled = deadLetter(delivery, "cancelled", context.now());
  // One that was never begun has no item: the one that it gets now keeps its message from beginning it.
  const previous = isUnborn(delivery) ? null : delivery;
  if (await context.deliveries.replaceDelivery(previous, cancelled)) {
    await giveProbeBack(gateMover(context), cancelled);
    return cancelled;
  }
  const { deliveryId } = delivery;
  throw refusal(409, "changed_meanwhile", `Delivery "${deliveryId}" has just changed: erase the event once more.`);
}

const isUnborn = ({ status, replayOf }: Delivery): boolean => status === "pending" && replayOf === null;

/** Those of its first pass, begun or not, and all replays, of which each original knows its own. */
async function allDeliveries(context: AdminContext, { event, subscriptionIds }: StoredEvent) {
  const origins = subscriptionIds.map((id) => originOf(event, id));
  const begun = await context.deliveries.findDeliveries(origins.map(({ deliveryId }) => deliveryId));
  const found = new Map(begun.map((each) => [each.deliveryId, each]));
  // An event outlives its deliveries: a missing one has expired by then.
  const maybeExpired = context.now() > event.receivedAtMs + context.retentionDays * dayMs;
  for (const origin of maybeExpired ? [] : origins) {
    if (!found.has(origin.deliveryId)) found.set(origin.deliveryId, newDelivery(origin, event.receivedAtMs));
  }
  let unread = replaysOf(begun);
  while (unread.length > 0) {
    const replays = await context.deliveries.findDeliveries(unread);
    for (const each of replays) found.set(each.deliveryId, each);
    unread = replaysOf(replays).filter((id) => !found.has(id));
  }
  return [...found.values()];
}

const replaysOf = (deliveries: readonly Delivery[]): readonly string[] =>
  deliveries.flatMap(({ replayedAs = [] }) => replayedAs);
