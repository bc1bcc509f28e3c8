import type { PageView, ReplayView } from "../../../functions/app/admin/view-schemas.js";
import { Empty } from "../components/empty.js";
import { Foreign } from "../components/foreign.js";
import { Loading } from "../components/loading.js";
import { Pager } from "../components/pager.js";
import { Status } from "../components/status.js";
import { type Column, Table } from "../components/table.js";
import { Time } from "../components/time.js";
import { useSurroundings } from "../data/context.js";
import { whole } from "../data/format.js";
import { hrefOf, type Query } from "../data/route.js";
import { useLoad } from "../data/use-load.js";
import { replayStates } from "../data/words.js";

/** Bulk replays: those that are under way, and those that were. */
export function Replays({ query }: { readonly query: Query }) {
  const { api } = useSurroundings();
  const cursor = query["cursor"];
  const loaded = useLoad(cursor ?? "", () => api.get<PageView<ReplayView>>("/replays", { cursor }), 5_000);
  return (
    <>
      <div class="headline">
        <h1>Replays</h1>
        <a class="button primary" href={hrefOf(["replays", "new"])}>
          New bulk replay…
        </a>
      </div>
      <Loading of={loaded}>
        {({ items, cursor: next }) => (
          <>
            {items.length > 0 && (
              <Table label="Bulk replays" rows={items} columns={columns} keyOf={({ replayId }) => replayId} />
            )}
            {items.length === 0 && next === null && (
              <Empty>
                There was no bulk replay yet. A single delivery is replayed from its own page; many at once from here,
                after a look at what would happen: <a href={hrefOf(["replays", "new"])}>new bulk replay</a>.
              </Empty>
            )}
            <Pager path={["replays"]} query={query} cursor={next} count={items.length} />
          </>
        )}
      </Loading>
    </>
  );
}

export function filterText({ filter }: ReplayView): string {
  const { status, since, until, ...rest } = filter;
  const named = Object.values(rest).filter((value) => value !== null);
  const bounds = [since === null ? null : `since ${since}`, until === null ? null : `until ${until}`];
  return [status.replace("_", " "), ...named, ...bounds.filter((bound) => bound !== null)].join(", ");
}

const columns: ReadonlyArray<Column<ReplayView>> = [
  {
    title: "Replay",
    cell: ({ replayId }) => (
      <a class="id" href={hrefOf(["replays", replayId])}>
        {replayId}
      </a>
    ),
  },
  { title: "State", cell: ({ state }) => <Status is={replayStates[state]} /> },
  {
    title: "Replayed",
    number: true,
    cell: ({ replayed, estimate }) => `${whole(replayed)} of ${whole(estimate.toReplay)}${estimate.atLeast ? "+" : ""}`,
  },
  { title: "What", cell: (replay) => <Foreign text={filterText(replay)} /> },
  { title: "Started", cell: ({ startedAt }) => <Time at={startedAt} /> },
];
