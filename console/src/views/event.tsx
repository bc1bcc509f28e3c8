import type { EventView } from "../../../functions/app/admin/view-schemas.js";
import { DeliveriesTable } from "../components/deliveries-table.js";
import { Empty } from "../components/empty.js";
import { type Field, Fields } from "../components/fields.js";
import { Foreign } from "../components/foreign.js";
import { Loading } from "../components/loading.js";
import { Panel } from "../components/panel.js";
import { Status } from "../components/status.js";
import { Time } from "../components/time.js";
import { useSurroundings } from "../data/context.js";
import { bytes } from "../data/format.js";
import { hrefOf } from "../data/route.js";
import { useLoad } from "../data/use-load.js";
import { eventStates } from "../data/words.js";
import { ContentPanels } from "./event-content.js";
import { QuarantinePanel } from "./quarantine-panel.js";

/** One event: what it was, whom it went to, and, where it was not verified, why. */
export function Event({ eventId }: { readonly eventId: string }) {
  const { api } = useSurroundings();
  const loaded = useLoad(eventId, () => api.get<EventView>(`/events/${encodeURIComponent(eventId)}`));
  return (
    <Loading of={loaded}>
      {(event) => (
        <>
          <div class="headline">
            <h1>Event</h1>
            {event.state !== null && <Status is={eventStates[event.state]} />}
          </div>
          <p class="id">{event.eventId}</p>
          <Fields of={fieldsOf(event)} />
          {event.quarantine !== null && <QuarantinePanel event={event} reload={loaded.reload} />}
          {event.quarantine === null && (
            <Panel title="Deliveries">
              {event.deliveries.length > 0 ? (
                <DeliveriesTable label="Deliveries of the event" rows={event.deliveries} />
              ) : (
                <Empty>
                  No subscription took it: each one's types or filter left it out, or there was none. See the{" "}
                  <a href={hrefOf(["sources", event.sourceId])}>source's subscriptions</a>.
                </Empty>
              )}
            </Panel>
          )}
          <ContentPanels event={event} />
        </>
      )}
    </Loading>
  );
}

function fieldsOf(event: EventView): readonly Field[] {
  const { sourceId, method, suffix, query, type, receivedAt, bodyBytes, bodySha256, verifiedBy } = event;
  const { dedupeKey, dedupeMissed, releasedFrom, erasedAt } = event;
  const path = `${method} ${suffix === "" ? "" : `/${suffix.replace(/^\//, "")}`}${query === "" ? "" : `?${query}`}`;
  return [
    [
      "Source",
      <a key="s" href={hrefOf(["sources", sourceId])}>
        <Foreign text={sourceId} />
      </a>,
    ],
    ["Request", <Foreign key="r" text={path} code />],
    ["Type", type === null ? null : <Foreign text={type} code />],
    ["Received", <Time key="t" at={receivedAt} full />],
    ["Body", bytes(bodyBytes)],
    ["SHA-256", bodySha256 === null ? null : <code>{bodySha256}</code>],
    ["Verified by", verifiedBy === null ? null : <Foreign text={verifiedBy} code />],
    ["Dedupe key", dedupeKey === null ? null : <Foreign text={dedupeKey} code />],
    ["No dedupe key", dedupeMissed],
    [
      "Release of",
      releasedFrom === null ? null : (
        <a class="id" href={hrefOf(["events", releasedFrom])}>
          {releasedFrom}
        </a>
      ),
    ],
    ["Erased", erasedAt === null ? null : <Time at={erasedAt} full />],
  ];
}
