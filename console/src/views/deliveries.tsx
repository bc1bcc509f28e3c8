import type { DeliveryView, PageView } from "../../../functions/app/admin/view-schemas.js";
import { DeliveriesTable } from "../components/deliveries-table.js";
import { Empty } from "../components/empty.js";
import { Loading } from "../components/loading.js";
import { Pager } from "../components/pager.js";
import { useSurroundings } from "../data/context.js";
import { hrefOf, type Query } from "../data/route.js";
import { useLoad } from "../data/use-load.js";
import { DeliveryFilter } from "./delivery-filter.js";

const parameters = ["status", "sourceId", "subscriptionId", "since", "until", "cursor"] as const;

/** Deliveries by status, source, subscription and time: the filter is the URL's. */
export function Deliveries({ query }: { readonly query: Query }) {
  const { api, relay } = useSurroundings();
  const asked = Object.fromEntries(parameters.map((name) => [name, query[name]]));
  const loaded = useLoad(JSON.stringify(asked), () => api.get<PageView<DeliveryView>>("/deliveries", asked));
  const { status, sourceId, subscriptionId, since, until } = query;
  const isFinal = status === "dead_lettered" || status === "delivered";
  return (
    <>
      <div class="headline">
        <h1>Deliveries</h1>
        {isFinal && (
          <a class="button" href={hrefOf(["replays", "new"], { status, sourceId, subscriptionId, since, until })}>
            Replay these…
          </a>
        )}
        <button type="button" onClick={loaded.reload} disabled={loaded.busy}>
          Refresh
        </button>
      </div>
      <DeliveryFilter query={query} />
      <Loading of={loaded}>
        {({ items, cursor }) => (
          <>
            {items.length > 0 && <DeliveriesTable label="Deliveries" rows={items} />}
            {items.length === 0 && <NoDeliveries query={query} more={cursor !== null} ingressUrl={relay.ingressUrl} />}
            <Pager path={["deliveries"]} query={query} cursor={cursor} count={items.length} />
          </>
        )}
      </Loading>
    </>
  );
}

function NoDeliveries({
  query,
  more,
  ingressUrl,
}: {
  readonly query: Query;
  readonly more: boolean;
  readonly ingressUrl: string;
}) {
  if (more) return <Empty>None among those that were looked at for this page: go on to the next.</Empty>;
  if (Object.keys(query).length > 0) {
    return (
      <Empty>
        No delivery fits this filter. <a href={hrefOf(["deliveries"])}>Show all deliveries</a>
      </Empty>
    );
  }
  return (
    <Empty command={`curl -i ${ingressUrl}/{sourceId} -H 'content-type: application/json' -d '{"hello":"world"}'`}>
      Nothing has been delivered yet. Post an event to one of your <a href={hrefOf(["sources"])}>sources</a>:
    </Empty>
  );
}
