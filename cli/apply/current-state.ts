import type { SourceView, SubscriptionView } from "../../functions/app/admin/view-schemas.js";
import { CliError } from "../cli-error.js";
import type { RelayClient } from "../relay-client.js";
import type { ApplyFile } from "./apply-schema.js";

export interface CurrentSource {
  readonly source: SourceView;
  readonly subscriptions: readonly SubscriptionView[];
}

/** What the relay has of what the file is about, by source id. */
export type CurrentState = ReadonlyMap<string, CurrentSource>;

/** Calls that run at the same time. */
const atOnce = 8;

/**
 * Reads the sources that the file names, and, when what is left over matters, those that its owner made. A relay may
 * have a source per customer: others are not looked into.
 */
export async function readCurrentState(relay: RelayClient, file: ApplyFile, prune: boolean): Promise<CurrentState> {
  const named = file.sources.map(({ sourceId }) => sourceId);
  const sources = prune ? await ownSources(relay, file) : await inParallel(named, (id) => findSource(relay, id));
  const found = sources.filter((source) => source !== null);
  const entries = await inParallel(found, async (source) => {
    const path = `/sources/${encodeURIComponent(source.sourceId)}/subscriptions`;
    return [source.sourceId, { source, subscriptions: await relay.all<SubscriptionView>(path) }] as const;
  });
  return new Map(entries);
}

async function ownSources(relay: RelayClient, { sources, managedBy }: ApplyFile): Promise<readonly SourceView[]> {
  const named = new Set(sources.map(({ sourceId }) => sourceId));
  const all = await relay.all<SourceView>("/sources");
  return all.filter((source) => named.has(source.sourceId) || source.managedBy === managedBy);
}

async function findSource(relay: RelayClient, sourceId: string): Promise<SourceView | null> {
  try {
    return await relay.call<SourceView>("GET", `/sources/${encodeURIComponent(sourceId)}`);
  } catch (error) {
    if (error instanceof CliError && error.details.code === "unknown_source") return null;
    throw error;
  }
}

async function inParallel<From, To>(items: readonly From[], work: (item: From) => Promise<To>): Promise<To[]> {
  const results: To[] = [];
  for (let start = 0; start < items.length; start += atOnce) {
    results.push(...(await Promise.all(items.slice(start, start + atOnce).map(work))));
  }
  return results;
}
