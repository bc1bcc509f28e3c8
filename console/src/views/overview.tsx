import { useMemo } from "preact/hooks";
import type { DeliveryView, PageView, StatsView } from "../../../functions/app/admin/view-schemas.js";
import { DeliveriesTable } from "../components/deliveries-table.js";
import { Empty } from "../components/empty.js";
import { Failure } from "../components/failure.js";
import { Loading } from "../components/loading.js";
import { Panel } from "../components/panel.js";
import { Tiles } from "../components/tiles.js";
import { Traffic } from "../components/traffic.js";
import { allSubscriptions } from "../data/all-subscriptions.js";
import { useSurroundings } from "../data/context.js";
import { hrefOf, type Query } from "../data/route.js";
import { useLoad } from "../data/use-load.js";
import { Attention } from "./attention.js";

const refreshMs = 10_000;

/** How it goes: rates, what needs a person, what failed last. */
export function Overview({ query }: { readonly query: Query }) {
  const { api, relay } = useSurroundings();
  const span = query["span"] === "24h" ? "24h" : "1h";
  const stats = useLoad(span, () => api.get<StatsView>("/stats", { series: span }), refreshMs);
  const census = useLoad("census", () => allSubscriptions(api), 3 * refreshMs);
  const list = (status: string) => () =>
    api.get<PageView<DeliveryView>>("/deliveries", { status, limit: "5" }).then(({ items }) => items);
  const dead = useLoad("dead", list("dead_lettered"), refreshMs);
  const retrying = useLoad("retrying", list("retry_scheduled"), refreshMs);
  const key = stats.value?.asOf;
  const traffic = useMemo(() => stats.value && <Traffic stats={stats.value} span={span} />, [key, span]);
  return (
    <>
      <h1>Overview</h1>
      <Loading of={stats}>
        {(value) => (
          <>
            <Tiles stats={value} />
            {traffic}
          </>
        )}
      </Loading>
      {census.value !== null && <Attention census={census.value} />}
      {census.error !== null && <Failure error={census.error} retry={census.reload} />}
      <Panel
        title="Failed last"
        aside={<a href={hrefOf(["deliveries"], { status: "dead_lettered" })}>All dead letters</a>}
      >
        <Loading of={dead}>
          {(rows) =>
            rows.length > 0 ? (
              <DeliveriesTable label="Newest dead letters" rows={rows} />
            ) : (
              <Empty command={`curl -i ${relay.ingressUrl}/{sourceId} -d '{"hello":"world"}'`}>
                No dead letters: whatever was accepted has been delivered, or is still being tried. To see something
                arrive, post an event:
              </Empty>
            )
          }
        </Loading>
      </Panel>
      <Panel
        title="Being retried"
        aside={<a href={hrefOf(["deliveries"], { status: "retry_scheduled" })}>All retries</a>}
      >
        <Loading of={retrying}>
          {(rows) =>
            rows.length > 0 ? (
              <DeliveriesTable label="Deliveries with a retry ahead" rows={rows} />
            ) : (
              <Empty>Nothing waits for a retry.</Empty>
            )
          }
        </Loading>
      </Panel>
    </>
  );
}
