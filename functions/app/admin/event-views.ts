import { deliveryIdOf } from "../../core/ids.js";
import type { StoredEvent } from "../ports.js";
import type { EventSummaryView } from "./view-schemas.js";
import { isoTime } from "./views.js";

/** Why an event has no deliveries; null: it has some. */
export const eventState = ({ subscriptionIds }: StoredEvent): "undelivered" | null =>
  subscriptionIds.length === 0 ? "undelivered" : null;

/** What every view of an event shows. */
export function eventFields({ event }: StoredEvent, state: EventSummaryView["state"]) {
  const { eventId, sourceId, method, suffix, query, type, receivedAtMs } = event;
  const { bodySha256, bodyBytes, verifiedBy, dedupeKey } = event;
  return {
    eventId,
    sourceId,
    state,
    method,
    suffix,
    query,
    type,
    receivedAt: isoTime(receivedAtMs),
    bodySha256,
    bodyBytes,
    verifiedBy,
    dedupeKey,
  };
}

/** An event as lists show it: without headers, its deliveries by id. */
export function eventSummary(stored: StoredEvent, state: EventSummaryView["state"]): EventSummaryView {
  const deliveryIds = stored.subscriptionIds.map((id) => deliveryIdOf(stored.event.eventId, id));
  return { ...eventFields(stored, state), deliveryIds };
}
