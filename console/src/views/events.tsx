import type { EventSummaryView, PageView } from "../../../functions/app/admin/view-schemas.js";
import { Empty } from "../components/empty.js";
import { Foreign } from "../components/foreign.js";
import { Loading } from "../components/loading.js";
import { Pager } from "../components/pager.js";
import { Status } from "../components/status.js";
import { type Column, Table } from "../components/table.js";
import { Time } from "../components/time.js";
import { useSurroundings } from "../data/context.js";
import { bytes } from "../data/format.js";
import { hrefOf, type Query } from "../data/route.js";
import { useLoad } from "../data/use-load.js";
import { go } from "../data/use-route.js";
import { eventStates } from "../data/words.js";

/** Events as they were accepted; `quarantined` shows those alone that were not verified. */
export function Events({ query, quarantined = false }: { readonly query: Query; readonly quarantined?: boolean }) {
  const { api, relay } = useSurroundings();
  const path = quarantined ? ["quarantine"] : ["events"];
  const state = quarantined ? "quarantined" : query["state"];
  const asked = { state, sourceId: query["sourceId"], cursor: query["cursor"] };
  const loaded = useLoad(JSON.stringify(asked), () => api.get<PageView<EventSummaryView>>("/events", asked));
  const change = (changes: Readonly<Record<string, string>>) => go(path, { ...query, cursor: "", ...changes });
  return (
    <>
      <div class="headline">
        <h1>{quarantined ? "Quarantine" : "Events"}</h1>
        <button type="button" onClick={loaded.reload} disabled={loaded.busy}>
          Refresh
        </button>
      </div>
      <form class="filter" aria-label="Filter events" onSubmit={(submitted) => submitted.preventDefault()}>
        <label>
          Source
          <input
            data-filter
            type="text"
            autocomplete="off"
            spellcheck={false}
            placeholder="any"
            value={query["sourceId"] ?? ""}
            onChange={({ currentTarget }) => change({ sourceId: currentTarget.value.trim() })}
          />
        </label>
        {!quarantined && (
          <label>
            State
            <select
              value={query["state"] ?? ""}
              onChange={({ currentTarget }) => change({ state: currentTarget.value })}
            >
              <option value="">any</option>
              <option value="undelivered">undelivered</option>
            </select>
          </label>
        )}
      </form>
      <Loading of={loaded}>
        {({ items, cursor }) => (
          <>
            {items.length > 0 && (
              <Table
                label="Events"
                rows={items}
                columns={quarantined ? quarantineColumns : columns}
                keyOf={({ eventId }) => eventId}
              />
            )}
            {items.length === 0 && quarantined && (
              <Empty command={`${relay.command} quarantine list`}>
                Nothing is in quarantine: every request was verified, or its source keeps none that was not. On the
                command line:
              </Empty>
            )}
            {items.length === 0 && !quarantined && (
              <Empty command={`curl -i ${relay.ingressUrl}/{sourceId} -d '{"hello":"world"}'`}>
                No event fits. Post one:
              </Empty>
            )}
            <Pager path={path} query={query} cursor={cursor} count={items.length} />
          </>
        )}
      </Loading>
    </>
  );
}

type Columns = ReadonlyArray<Column<EventSummaryView>>;

const common: Columns = [
  {
    title: "Event",
    cell: ({ eventId }) => (
      <a class="id" href={hrefOf(["events", eventId])}>
        {eventId}
      </a>
    ),
  },
  { title: "Source", cell: ({ sourceId }) => <Foreign text={sourceId} /> },
  { title: "Received", cell: ({ receivedAt }) => <Time at={receivedAt} /> },
  { title: "Body", number: true, cell: ({ bodyBytes }) => bytes(bodyBytes) },
];

const columns: Columns = [
  ...common,
  { title: "Type", cell: ({ type }) => (type === null ? "" : <Foreign text={type} code />) },
  {
    title: "State",
    cell: ({ state, deliveryIds }) =>
      state === null ? (
        `${deliveryIds.length} ${deliveryIds.length === 1 ? "delivery" : "deliveries"}`
      ) : (
        <Status is={eventStates[state]} />
      ),
  },
];

const quarantineColumns: Columns = [
  ...common,
  { title: "Why", cell: ({ quarantine }) => (quarantine === null ? "" : <Foreign text={quarantine.reason} />) },
  { title: "State", cell: ({ state }) => (state === null ? "" : <Status is={eventStates[state]} />) },
];
