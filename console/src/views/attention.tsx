import type { SubscriptionView } from "../../../functions/app/admin/view-schemas.js";
import { Foreign } from "../components/foreign.js";
import { GateLine } from "../components/gate-line.js";
import { Panel } from "../components/panel.js";
import { type Column, Table } from "../components/table.js";
import type { SubscriptionCensus } from "../data/all-subscriptions.js";
import { hrefOf } from "../data/route.js";

/** Subscriptions that let nothing through, or not everything: an open circuit, a hold, a pause, a release. */
export function Attention({ census: { subscriptions, partial } }: { readonly census: SubscriptionCensus }) {
  const rows = subscriptions.filter(needsAttention);
  if (rows.length === 0 && !partial) return null;
  return (
    <Panel title="Gates that hold something back">
      {rows.length === 0 ? (
        <p class="quiet">None.</p>
      ) : (
        <Table
          label="Gates that hold something back"
          rows={rows}
          columns={columns}
          keyOf={({ subscriptionId }) => subscriptionId}
        />
      )}
      {partial && <p class="quiet">Only the first 50 sources were looked at: the list of sources has the others.</p>}
    </Panel>
  );
}

const needsAttention = ({ status, gate, slowUntil }: SubscriptionView): boolean =>
  status !== "active" ||
  gate.circuit !== "closed" ||
  gate.heldUntil !== null ||
  gate.release !== null ||
  slowUntil !== null;

const columns: ReadonlyArray<Column<SubscriptionView>> = [
  {
    title: "Subscription",
    cell: ({ subscriptionId, name, sourceId }) => (
      <a href={hrefOf(["subscriptions", subscriptionId])}>
        <Foreign text={`${sourceId}/${name ?? subscriptionId}`} />
      </a>
    ),
  },
  { title: "Gate", cell: (subscription) => <GateLine subscription={subscription} /> },
  { title: "Destination", cell: ({ url }) => <Foreign text={url} code /> },
];
