import type { EventView } from "../../../functions/app/admin/view-schemas.js";
import { BodyView } from "../components/body-view.js";
import { Headers } from "../components/headers.js";
import { Loading } from "../components/loading.js";
import { Panel } from "../components/panel.js";
import { useSurroundings } from "../data/context.js";
import { useLoad } from "../data/use-load.js";

/** What was accepted: headers and body. */
export function EventContent({ eventId }: { readonly eventId: string }) {
  const { api } = useSurroundings();
  const loaded = useLoad(eventId, () => api.get<EventView>(`/events/${encodeURIComponent(eventId)}`));
  return <Loading of={loaded}>{(event) => <ContentPanels event={event} />}</Loading>;
}

export function ContentPanels({ event }: { readonly event: EventView }) {
  if (event.erasedAt !== null) {
    return (
      <Panel title="Event">
        <p class="quiet">Headers and body were erased.</p>
      </Panel>
    );
  }
  return (
    <div class="pair">
      <Panel title="Body">
        <BodyView eventId={event.eventId} bodyBytes={event.bodyBytes} />
      </Panel>
      <Panel title="Headers">
        <Headers of={event.headers} />
      </Panel>
    </div>
  );
}
