import type { AdminContext } from "./context.js";
import { refusal } from "./problem.js";

/** What a list without an index of its own is searched in. */

/** Subscriptions, or sources, whose lists one answer merges, four partitions each. */
const mostSearched = 200;

type Stores = Pick<AdminContext, "sources" | "subscriptions">;

/** Ids of all subscriptions of a source, or of all sources; null: more than one answer can search. */
export async function searchedSubscriptions(
  { sources, subscriptions }: Stores,
  sourceId: string | undefined,
): Promise<readonly string[] | null> {
  const of = (id: string) => subscriptions.subscriptionIds(id, mostSearched + 1);
  const ids = sourceId === undefined ? await collectFromSources(sources, of) : await of(sourceId);
  return ids.length <= mostSearched ? ids : null;
}

/** The source itself, or all of them; throws the 400 when they are more than one answer can search. */
export async function searchedSources({ sources }: Stores, sourceId: string | undefined): Promise<readonly string[]> {
  if (sourceId !== undefined) return [sourceId];
  const ids = await collectFromSources(sources, async (id) => [id]);
  if (ids.length <= mostSearched) return ids;
  throw refusal(400, "too_many_sources", `There are more than ${mostSearched} sources to search: name a sourceId.`);
}

/** 400: what to add to a request that would have to search too much. */
export const tooManySubscriptions = (fix: string) =>
  refusal(400, "too_many_subscriptions", `More than ${mostSearched} subscriptions would have to be searched: ${fix}.`);

async function collectFromSources(
  sources: Stores["sources"],
  idsOf: (sourceId: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const ids: string[] = [];
  let after: string | null = null;
  do {
    const page = await sources.listSources({ after, limit: 100 });
    const perSource = await Promise.all(page.items.map(({ sourceId }) => idsOf(sourceId)));
    ids.push(...perSource.flat());
    after = page.after;
  } while (after !== null && ids.length <= mostSearched);
  return ids;
}
