import { filterMatches, filterSubject } from "../../core/filter.js";
import type { EventMeta, Filter, Subscription } from "../../core/model.js";
import { typeMatches } from "../../core/type-patterns.js";
import type { DeliveryContext } from "./delivery-context.js";
import type { LoadContent } from "./stored-content.js";

/** Ids of the subscriptions that the event goes to. Paused and disabled ones count: their deliveries are parked. */
export async function resolveSubscriptions(
  context: DeliveryContext,
  event: EventMeta,
  pass: FilterPass,
): Promise<readonly string[]> {
  const cached = await matching(await context.subscriptions.ofSource(event.sourceId), event, pass);
  if (cached.length > 0) return cached;
  // Nobody there is believed only from a consistent read: a cache may be older than the subscription.
  return matching(await context.subscriptions.ofSource(event.sourceId, { fresh: true }), event, pass);
}

/** By type first: a content is not loaded, and a body not parsed, for an event that nobody's filter asks about. */
async function matching(
  subscriptions: readonly Subscription[],
  event: EventMeta,
  pass: FilterPass,
): Promise<readonly string[]> {
  const interested = subscriptions.filter((each) => each.deletedAtMs === null && typeMatches(each.types, event.type));
  const passes = await pass.over(interested.flatMap(({ filter }) => (filter === null ? [] : [filter])));
  return interested
    .filter(({ filter }) => filter === null || passes(filter))
    .map(({ subscriptionId }) => subscriptionId);
}

/** What filters say of one event. Its body is parsed once, however many lists of subscriptions are asked about. */
export interface FilterPass {
  /** Takes the filters that will be asked. */
  over(filters: readonly Filter[]): Promise<(filter: Filter) => boolean>;
  /** True once there was a filter. */
  asked(): boolean;
}

export function filterPass(load: LoadContent): FilterPass {
  let subject: ReturnType<typeof filterSubject> | undefined;
  return {
    asked: () => subject !== undefined,
    async over(filters) {
      if (filters.length === 0) return () => true;
      const asked = subject ?? filterSubject(await load());
      subject = asked;
      asked.expect(filters);
      return (filter) => filterMatches(filter, asked);
    },
  };
}
