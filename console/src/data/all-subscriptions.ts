import type { PageView, SourceView, SubscriptionView } from "../../../functions/app/admin/view-schemas.js";
import type { Api } from "./api.js";

/** More are not asked for in one go: a relay with a source for each customer has thousands. */
const mostSources = 50;
const atOnce = 4;

export interface SubscriptionCensus {
  readonly subscriptions: readonly SubscriptionView[];
  /** There are more sources than were looked at. */
  readonly partial: boolean;
}

/** The subscriptions of the first sources: what an overview can afford to look at. */
export async function allSubscriptions(api: Api): Promise<SubscriptionCensus> {
  const sources = await api.get<PageView<SourceView>>("/sources", { limit: String(mostSources) });
  const waiting = [...sources.items];
  const subscriptions: SubscriptionView[] = [];
  const worker = async (): Promise<void> => {
    for (let source = waiting.shift(); source !== undefined; source = waiting.shift()) {
      subscriptions.push(...(await subscriptionsOf(api, source.sourceId)));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return { subscriptions, partial: sources.cursor !== null };
}

/** The first page of a source's subscriptions; none where the source was deleted meanwhile. */
export async function subscriptionsOf(api: Api, sourceId: string): Promise<readonly SubscriptionView[]> {
  const path = `/sources/${encodeURIComponent(sourceId)}/subscriptions`;
  return (await api.get<PageView<SubscriptionView>>(path, { limit: "100" })).items;
}
