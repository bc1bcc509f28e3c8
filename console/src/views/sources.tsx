import type { PageView, SourceView } from "../../../functions/app/admin/view-schemas.js";
import { Empty } from "../components/empty.js";
import { Foreign } from "../components/foreign.js";
import { Loading } from "../components/loading.js";
import { Pager } from "../components/pager.js";
import { type Column, Table } from "../components/table.js";
import { Time } from "../components/time.js";
import { useSurroundings } from "../data/context.js";
import { hrefOf, type Query } from "../data/route.js";
import { useLoad } from "../data/use-load.js";

/** Where providers post to. */
export function Sources({ query }: { readonly query: Query }) {
  const { api, relay } = useSurroundings();
  const cursor = query["cursor"];
  const loaded = useLoad(cursor ?? "", () => api.get<PageView<SourceView>>("/sources", { cursor }));
  return (
    <>
      <h1>Sources</h1>
      <Loading of={loaded}>
        {({ items, cursor: next }) =>
          items.length === 0 && next === null ? (
            <Empty command={`${relay.command} sources create github --scheme github --secret env:GITHUB_SECRET`}>
              There is no source yet. Create one; providers then post to {relay.ingressUrl}/github:
            </Empty>
          ) : (
            <>
              <Table label="Sources" rows={items} columns={columns} keyOf={({ sourceId }) => sourceId} />
              <Pager path={["sources"]} query={query} cursor={next} count={items.length} />
            </>
          )
        }
      </Loading>
    </>
  );
}

const columns: ReadonlyArray<Column<SourceView>> = [
  {
    title: "Source",
    cell: ({ sourceId }) => (
      <a href={hrefOf(["sources", sourceId])}>
        <Foreign text={sourceId} />
      </a>
    ),
  },
  { title: "Verification", cell: ({ verification }) => verification?.scheme ?? <span class="quiet">none</span> },
  { title: "Dedupe", cell: ({ dedupe }) => ruleText(dedupe) },
  { title: "Description", cell: ({ description }) => (description === null ? "" : <Foreign text={description} />) },
  { title: "Changed", cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];

export function ruleText(rule: SourceView["dedupe"]) {
  if (rule === null) return <span class="quiet">none</span>;
  return <Foreign text={rule.from === "header" ? `header ${rule.name}` : `JSON ${rule.pointer}`} />;
}
