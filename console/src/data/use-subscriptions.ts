import { useEffect, useState } from "preact/hooks";
import type { SubscriptionView } from "../../../functions/app/admin/view-schemas.js";
import { subscriptionsOf } from "./all-subscriptions.js";
import type { Api } from "./api.js";
import { useSurroundings } from "./context.js";

/** Subscriptions by their ids. */
export type SubscriptionsById = ReadonlyMap<string, SubscriptionView>;

/** More sources than these on one page are shown by id alone. */
const mostSources = 20;

/** What is known, for as long as the page stays: names hardly change. */
const known = new Map<string, Promise<readonly SubscriptionView[]>>();

/** The subscriptions of some sources, so that a list can show names beside ids; empty until they are known. */
export function useSubscriptions(sourceIds: readonly string[]): SubscriptionsById {
  const { api } = useSurroundings();
  const [found, setFound] = useState<SubscriptionsById>(new Map());
  const wanted = [...new Set(sourceIds)].slice(0, mostSources);
  const key = wanted.toSorted((a, b) => (a < b ? -1 : 1)).join(" ");
  useEffect(() => {
    let gone = false;
    Promise.all(wanted.map((sourceId) => askOnce(api, sourceId))).then(
      (lists) => !gone && setFound(new Map(lists.flat().map((each) => [each.subscriptionId, each]))),
      // A list without names is a list all the same.
      () => {},
    );
    return () => {
      gone = true;
    };
  }, [key]);
  return found;
}

function askOnce(api: Api, sourceId: string): Promise<readonly SubscriptionView[]> {
  const asked = known.get(sourceId) ?? subscriptionsOf(api, sourceId);
  known.set(sourceId, asked);
  asked.catch(() => known.delete(sourceId));
  return asked;
}
