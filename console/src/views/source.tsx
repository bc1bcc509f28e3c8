import type { SourceView, SubscriptionView } from "../../../functions/app/admin/view-schemas.js";
import { Empty } from "../components/empty.js";
import { Fields } from "../components/fields.js";
import { Foreign } from "../components/foreign.js";
import { GateLine } from "../components/gate-line.js";
import { Loading } from "../components/loading.js";
import { Panel } from "../components/panel.js";
import { type Column, Table } from "../components/table.js";
import { Time } from "../components/time.js";
import { subscriptionsOf } from "../data/all-subscriptions.js";
import { useSurroundings } from "../data/context.js";
import { hrefOf } from "../data/route.js";
import { useLoad } from "../data/use-load.js";
import { ruleText } from "./sources.js";

const refreshMs = 10_000;

/** One source: how its requests are verified, and where they go. */
export function Source({ sourceId }: { readonly sourceId: string }) {
  const { api, relay } = useSurroundings();
  const loaded = useLoad(sourceId, () => api.get<SourceView>(`/sources/${encodeURIComponent(sourceId)}`));
  const subscriptions = useLoad(sourceId, () => subscriptionsOf(api, sourceId), refreshMs);
  return (
    <>
      <div class="headline">
        <h1>
          Source <Foreign text={sourceId} />
        </h1>
        <a class="button" href={hrefOf(["deliveries"], { sourceId })}>
          Deliveries
        </a>
        <a class="button" href={hrefOf(["events"], { sourceId })}>
          Events
        </a>
        <a class="button" href={hrefOf(["quarantine"], { sourceId })}>
          Quarantine
        </a>
      </div>
      <Loading of={loaded}>{(source) => <SourceFields source={source} ingressUrl={relay.ingressUrl} />}</Loading>
      <Panel title="Subscriptions">
        <Loading of={subscriptions}>
          {(rows) =>
            rows.length > 0 ? (
              <Table
                label="Subscriptions"
                rows={rows}
                columns={columns}
                keyOf={({ subscriptionId }) => subscriptionId}
              />
            ) : (
              <Empty
                command={`${relay.command} subscriptions create ${sourceId} https://example.com/hooks --name first`}
              >
                Nobody subscribes: its events are kept, and delivered nowhere. Add a destination:
              </Empty>
            )
          }
        </Loading>
      </Panel>
    </>
  );
}

function SourceFields({ source, ingressUrl }: { readonly source: SourceView; readonly ingressUrl: string }) {
  const { sourceId, description, verification, handshake, answer, dedupe, eventType, managedBy, version, updatedAt } =
    source;
  return (
    <Fields
      of={[
        ["Providers post to", verification?.scheme === "iam" ? null : <code>{`${ingressUrl}/${sourceId}`}</code>],
        ["Description", description === null ? null : <Foreign text={description} />],
        ["Verification", verification === null ? "none: every request is accepted" : verification.scheme],
        ["Secrets", verification === null ? null : verification.secrets.map(({ id }) => id).join(", ")],
        ["If not verified", verification === null ? null : verification.onFailure],
        ["Handshake", handshake?.kind],
        ["Answer", answer],
        ["Dedupe key", ruleText(dedupe)],
        ["Event type", eventType === null ? null : ruleText(eventType)],
        ["Managed by", managedBy === null ? null : <Foreign text={managedBy} />],
        ["Changed", <Time key="t" at={updatedAt} full />],
        ["Version", String(version)],
      ]}
    />
  );
}

const columns: ReadonlyArray<Column<SubscriptionView>> = [
  {
    title: "Subscription",
    cell: ({ subscriptionId, name }) => (
      <a href={hrefOf(["subscriptions", subscriptionId])}>
        <Foreign text={name ?? subscriptionId} />
      </a>
    ),
  },
  { title: "Gate", cell: (subscription) => <GateLine subscription={subscription} /> },
  { title: "Destination", cell: ({ url }) => <Foreign text={url} code /> },
  { title: "Types", cell: ({ types }) => (types === null ? "all" : <Foreign text={types.join(", ")} />) },
  { title: "Policy", cell: ({ policy }) => `${policy.preset}, ${policy.maxAttempts} attempts` },
];
