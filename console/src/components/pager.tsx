import { hrefOf, type Query } from "../data/route.js";

/** Steps of a list by the relay's cursor, as links: "back" goes to the page before. */
export function Pager({
  path,
  query,
  cursor,
  count,
}: {
  readonly path: readonly string[];
  readonly query: Query;
  readonly cursor: string | null;
  readonly count: number;
}) {
  const { cursor: here, ...filter } = query;
  if (here === undefined && cursor === null) return <p class="quiet pager">{count} in all</p>;
  return (
    <nav class="pager" aria-label="Pages">
      {here !== undefined && <a href={hrefOf(path, filter)}>« First page</a>}
      <span class="quiet">{count} on this page</span>
      {cursor !== null && (
        <a href={hrefOf(path, { ...filter, cursor })} rel="next">
          Next page »
        </a>
      )}
    </nav>
  );
}
