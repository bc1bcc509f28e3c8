import { deliveryIdOf } from "../../core/ids.js";
import type { Quarantine } from "../../core/model.js";
import type { StoredEvent } from "../ports.js";
import type { EventSummaryView } from "./view-schemas.js";
import { isoTime } from "./views.js";

/** Why an event has no deliveries; null: it has some. */
function eventState({ subscriptionIds, quarantine }: StoredEvent): EventSummaryView["state"] {
  if (quarantine !== undefined) return quarantine.released === undefined ? "quarantined" : "released";
  return subscriptionIds.length === 0 ? "undelivered" : null;
}

function quarantineView({ reason, released }: Quarantine) {
  if (released === undefined) return { reason, releasedAt: null, releasedBy: null, releasedAs: null };
  return { reason, releasedAt: isoTime(released.atMs), releasedBy: released.by, releasedAs: released.as };
}

/** What every view of an event shows. */
export function eventFields(stored: StoredEvent) {
  const { event, quarantine } = stored;
  const { eventId, sourceId, method, suffix, query, type, receivedAtMs } = event;
  const { bodySha256, bodyBytes, verifiedBy, dedupeKey } = event;
  return {
    eventId,
    sourceId,
    state: eventState(stored),
    method,
    suffix,
    query,
    type,
    receivedAt: isoTime(receivedAtMs),
    bodySha256: stored.erasedAtMs === undefined ? bodySha256 : null,
    bodyBytes,
    verifiedBy,
    dedupeKey,
    erasedAt: stored.erasedAtMs === undefined ? null : isoTime(stored.erasedAtMs),
    dedupeMissed: event.dedupeMissed ?? null,
    releasedFrom: event.releasedFrom ?? null,
    quarantine: quarantine === undefined ? null : quarantineView(quarantine),
  };
}

/** An event as lists show it: without headers, its deliveries by id. */
export function eventSummary(stored: StoredEvent): EventSummaryView {
  const deliveryIds = stored.subscriptionIds.map((id) => deliveryIdOf(stored.event.eventId, id));
  return { ...eventFields(stored), deliveryIds };
}
