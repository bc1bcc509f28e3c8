import type { AuditEntryView, PageView } from "../../../functions/app/admin/view-schemas.js";
import { Empty } from "../components/empty.js";
import { Foreign } from "../components/foreign.js";
import { Loading } from "../components/loading.js";
import { Pager } from "../components/pager.js";
import { Status } from "../components/status.js";
import { type Column, Table } from "../components/table.js";
import { Time } from "../components/time.js";
import { useSurroundings } from "../data/context.js";
import { foreign } from "../data/format.js";
import type { Query } from "../data/route.js";
import { useLoad } from "../data/use-load.js";
import { go } from "../data/use-route.js";

/** Who did what. */
export function Audit({ query }: { readonly query: Query }) {
  const { api } = useSurroundings();
  const asked = { subject: query["subject"], cursor: query["cursor"] };
  const loaded = useLoad(JSON.stringify(asked), () => api.get<PageView<AuditEntryView>>("/audit", asked));
  return (
    <>
      <div class="headline">
        <h1>Audit trail</h1>
        <button type="button" onClick={loaded.reload} disabled={loaded.busy}>
          Refresh
        </button>
      </div>
      <form class="filter" aria-label="Filter the audit trail" onSubmit={(submitted) => submitted.preventDefault()}>
        <label>
          About
          <input
            data-filter
            type="text"
            autocomplete="off"
            spellcheck={false}
            placeholder="any id or name"
            value={query["subject"] ?? ""}
            onChange={({ currentTarget }) => go(["audit"], { subject: currentTarget.value.trim() })}
          />
        </label>
      </form>
      <Loading of={loaded}>
        {({ items, cursor }) => (
          <>
            {items.length > 0 && (
              <Table label="Audit trail" rows={items} columns={columns} keyOf={({ auditId }) => auditId} />
            )}
            {items.length === 0 && cursor === null && <Empty>Nobody has changed anything that fits.</Empty>}
            <Pager path={["audit"]} query={query} cursor={cursor} count={items.length} />
          </>
        )}
      </Loading>
    </>
  );
}

const columns: ReadonlyArray<Column<AuditEntryView>> = [
  { title: "When", cell: ({ at }) => <Time at={at} /> },
  { title: "What", cell: ({ operation }) => <span class="whole">{foreign(operation)}</span> },
  { title: "About", cell: ({ subjects }) => <span class="ids whole">{subjects.map(subject)}</span> },
  { title: "Fields", cell: ({ fields }) => <Foreign text={fields.join(", ")} /> },
  { title: "Who", cell: ({ by }) => <Foreign text={by} /> },
  { title: "Why", cell: ({ reason }) => (reason === null ? "" : <Foreign text={reason} />) },
  { title: "Outcome", cell: ({ outcome }) => <Status is={outcomeOf(outcome)} /> },
];

const subject = (text: string) => <Foreign key={text} text={text} code />;

function outcomeOf(outcome: AuditEntryView["outcome"]) {
  if (outcome === null) return ["not known", "warn"] as const;
  return outcome.status < 400
    ? (["done", "good"] as const)
    : ([outcome.code ?? String(outcome.status), "bad"] as const);
}
