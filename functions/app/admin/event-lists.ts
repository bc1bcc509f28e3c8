import { deliveryIdOf } from "../../core/ids.js";
import type { Delivery } from "../../core/model.js";
import type { StoredEvent } from "../ports.js";
import type { AdminContext } from "./context.js";
import { decodeCursor, encodeCursor } from "./cursor.js";
import { eventSummary } from "./event-views.js";
import { findPage } from "./pages.js";
import type { EventSelection, ListedEvent } from "./ports.js";
import type { EventQuery } from "./schemas.js";
import { searchedSources, searchedSubscriptions, tooManySubscriptions } from "./searched.js";
import { isWithin, listRange, requireOrder } from "./time-bounds.js";
import type { EventSummaryView, PageView } from "./view-schemas.js";

/**
 * A page of events, newest first; it may be short, or empty, and still have a cursor. An event with deliveries has no
 * index entry of its own: it stands where the delivery to its first subscription stands, and only there.
 */
export async function listEvents(context: AdminContext, query: EventQuery): Promise<PageView<EventSummaryView>> {
  const { limit, cursor, ...filter } = query;
  const list = ["events", filter];
  const after = decodeCursor(list, cursor);
  requireOrder(query);
  const entries = context.eventList.entries(await selection(context, query), listRange(query, after));
  const page = await findPage(entries, limit, (batch) => readWanted(context, batch, query));
  return { items: page.items, cursor: encodeCursor(list, page.after) };
}

async function selection(context: AdminContext, { sourceId, state }: EventQuery): Promise<EventSelection> {
  const sourceIds = await searchedSources(context, sourceId);
  if (state !== undefined) return { sourceIds, states: [state], subscriptionIds: [] };
  const subscriptionIds = await searchedSubscriptions(context, sourceId);
  if (subscriptionIds !== null) return { sourceIds, states: ["undelivered", "quarantined"], subscriptionIds };
  throw tooManySubscriptions(
    `name a state${sourceId === undefined ? " or a sourceId" : ""}, or list the deliveries of a subscriptionId`,
  );
}

async function readWanted(context: AdminContext, batch: readonly ListedEvent[], query: EventQuery) {
  const deliveryIds = batch.flatMap((entry) => (entry.kind === "delivered" ? [entry.deliveryId] : []));
  const deliveries = new Map(
    (await context.deliveries.findDeliveries(deliveryIds)).map((delivery) => [delivery.deliveryId, delivery]),
  );
  const eventIds = batch.flatMap((entry) =>
    entry.kind === "delivered" ? (deliveries.get(entry.deliveryId)?.eventId ?? []) : [entry.eventId],
  );
  const events = new Map(
    (await context.eventList.findEvents(eventIds)).map((stored) => [stored.event.eventId, stored]),
  );
  return batch.map((entry) => {
    const stored = shownAt(entry, deliveries, events);
    if (stored === null || !isWithin(query, stored.event.receivedAtMs)) return null;
    return eventSummary(stored);
  });
}

/** The event that is shown at this entry; null: it is shown at another one, or no longer there. */
function shownAt(
  entry: ListedEvent,
  deliveries: ReadonlyMap<string, Delivery>,
  events: ReadonlyMap<string, StoredEvent>,
): StoredEvent | null {
  if (entry.kind !== "delivered") {
    const stored = events.get(entry.eventId) ?? null;
    // An index lags behind: an event that has found its subscription is listed with its delivery, and one that was
    // released is another event now.
    const moved = stored !== null && (stored.subscriptionIds.length > 0 || stored.quarantine?.released !== undefined);
    return moved ? null : stored;
  }
  const stored = events.get(deliveries.get(entry.deliveryId)?.eventId ?? "");
  const [first] = stored?.subscriptionIds ?? [];
  if (stored === undefined || first === undefined) return null;
  return entry.deliveryId === deliveryIdOf(stored.event.eventId, first) ? stored : null;
}
