import { useState } from "preact/hooks";
import type { FaultSummaryView, FaultView, PageView } from "../../../functions/app/admin/view-schemas.js";
import { Confirm } from "../components/confirm.js";
import { Empty } from "../components/empty.js";
import { Fields } from "../components/fields.js";
import { Foreign } from "../components/foreign.js";
import { Loading } from "../components/loading.js";
import { Pager } from "../components/pager.js";
import { Panel } from "../components/panel.js";
import { type Column, Table } from "../components/table.js";
import { Time } from "../components/time.js";
import { useSurroundings } from "../data/context.js";
import { bytes, foreign } from "../data/format.js";
import { hrefOf, type Query } from "../data/route.js";
import { useLoad } from "../data/use-load.js";

/** Messages that the relay itself could not process. */
export function Faults({ query }: { readonly query: Query }) {
  const { api, relay } = useSurroundings();
  const cursor = query["cursor"];
  const loaded = useLoad(cursor ?? "", () => api.get<PageView<FaultSummaryView>>("/faults", { cursor }));
  return (
    <>
      <h1>Faults</h1>
      <Loading of={loaded}>
        {({ items, cursor: next }) => (
          <>
            {items.length > 0 && (
              <Table label="Faults" rows={items} columns={columns} keyOf={({ faultId }) => faultId} />
            )}
            {items.length === 0 && next === null && (
              <Empty command={`${relay.command} faults list`}>
                No fault waits: the relay could process every message. What destinations refuse is among the{" "}
                <a href={hrefOf(["deliveries"], { status: "dead_lettered" })}>dead letters</a>. On the command line:
              </Empty>
            )}
            <Pager path={["faults"]} query={query} cursor={next} count={items.length} />
          </>
        )}
      </Loading>
    </>
  );
}

const columns: ReadonlyArray<Column<FaultSummaryView>> = [
  {
    title: "Fault",
    cell: ({ faultId }) => (
      <a class="id" href={hrefOf(["faults", faultId])}>
        {faultId}
      </a>
    ),
  },
  { title: "Cause", cell: ({ cause }) => <Foreign text={cause} /> },
  { title: "Queue", cell: ({ queue }) => queue },
  { title: "Times", number: true, cell: ({ times }) => times },
  { title: "Since", cell: ({ faultedAt }) => <Time at={faultedAt} /> },
];

/** One fault: its cause, the beginning of its message, and the way back. */
export function Fault({ faultId }: { readonly faultId: string }) {
  const { api } = useSurroundings();
  const path = `/faults/${encodeURIComponent(faultId)}`;
  const loaded = useLoad(faultId, () => api.get<FaultView>(path));
  const [asking, setAsking] = useState(false);
  const close = () => {
    setAsking(false);
    loaded.reload();
  };
  return (
    <Loading of={loaded}>
      {({ cause, queue, times, faultedAt, redrivenAt, eventId, deliveryId, subscriptionId, message }) => (
        <>
          <div class="headline">
            <h1>Fault</h1>
            {redrivenAt === null && (
              <button type="button" class="primary" onClick={() => setAsking(true)}>
                Redrive…
              </button>
            )}
          </div>
          <p class="id">{faultId}</p>
          <Fields
            of={[
              ["Cause", <Foreign key="c" text={cause} />],
              ["Queue", queue],
              ["Came here", times === 1 ? "once" : `${times} times`],
              ["Since", <Time key="t" at={faultedAt} full />],
              ["Sent back", redrivenAt === null ? null : <Time at={redrivenAt} full />],
              [
                "Event",
                eventId === null ? null : (
                  <a class="id" href={hrefOf(["events", eventId])}>
                    <Foreign text={eventId} />
                  </a>
                ),
              ],
              [
                "Delivery",
                deliveryId === null ? null : (
                  <a class="id" href={hrefOf(["deliveries", deliveryId])}>
                    <Foreign text={deliveryId} />
                  </a>
                ),
              ],
              [
                "Subscription",
                subscriptionId === null ? null : (
                  <a class="id" href={hrefOf(["subscriptions", subscriptionId])}>
                    <Foreign text={subscriptionId} />
                  </a>
                ),
              ],
            ]}
          />
          <Panel
            title="Message"
            aside={
              <span class="quiet">
                {bytes(message.bytes)}
                {message.cut && ", cut"}
              </span>
            }
          >
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
            <pre class="body" tabIndex={0}>
              {foreign(message.text, true)}
            </pre>
          </Panel>
          {asking && (
            <Confirm
              title="Redrive this fault"
              action="Redrive"
              onClose={close}
              onConfirm={(reason) => api.write("POST", `${path}/redrive`, { reason })}
            >
              <p>
                Its message goes back to its queue under the identity that it had: what was delivered meanwhile is not
                delivered again. If it fails again, it is listed again.
              </p>
            </Confirm>
          )}
        </>
      )}
    </Loading>
  );
}
