import type { ApplyFile, FileSource } from "./apply-schema.js";
import type { CurrentSource, CurrentState } from "./current-state.js";
import { planLeftSource, planLeftSubscription } from "./plan-left-over.js";
import type { PlanOptions } from "./plan-options.js";
import { planSource } from "./plan-source.js";
import { planSubscription } from "./plan-subscription.js";
import { type Findings, merged } from "./step.js";

/** What differs between the file and the relay, as steps: creations and changes in the file's order, then deletions. */
export function makePlan(file: ApplyFile, current: CurrentState, options: PlanOptions): Findings {
  const named = file.sources.map((source, index) => {
    const found = current.get(source.sourceId);
    return { source, found, path: `sources[${index}]` };
  });
  const ids = new Set(file.sources.map(({ sourceId }) => sourceId));
  const leftSources = [...current.values()].filter(({ source }) => !ids.has(source.sourceId));
  return merged([
    ...named.map(({ source, found, path }) => planNamed(source, found, path, options)),
    ...named.flatMap(({ source, found }) => leftSubscriptions(source, found, options)),
    ...leftSources.map((left) => planLeftSource(left, options)),
  ]);
}

function planNamed(source: FileSource, found: CurrentSource | undefined, path: string, options: PlanOptions): Findings {
  const existing = new Map(found?.subscriptions.map((subscription) => [subscription.name, subscription]));
  const subscriptions = source.subscriptions.map((each, index) =>
    planSubscription(source.sourceId, each, existing.get(each.name), `${path}.subscriptions[${index}]`, options),
  );
  return merged([planSource(source, found?.source, path, options), ...subscriptions]);
}

function leftSubscriptions(
  { subscriptions }: FileSource,
  found: CurrentSource | undefined,
  options: PlanOptions,
): readonly Findings[] {
  const names = new Set<string | null>(subscriptions.map(({ name }) => name));
  const left = (found?.subscriptions ?? []).filter(({ name }) => !names.has(name));
  return left.map((each) => planLeftSubscription(each, options));
}
