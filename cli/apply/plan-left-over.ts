import type { SubscriptionView } from "../../functions/app/admin/view-schemas.js";
import type { CurrentSource } from "./current-state.js";
import type { PlanOptions } from "./plan-options.js";
import { deletion, type Findings, merged, nothing, type Subject } from "./step.js";

/** Only what the file's owner made is ever deleted, and only when that was asked for. */

const notPruned = "is no longer in the file: --prune deletes it";

const keeping = (subject: Subject, why: string): Findings => ({ ...nothing, kept: [{ ...subject, why }] });

/** A source that the file does not name, its subscriptions first. */
export function planLeftSource({ source, subscriptions }: CurrentSource, options: PlanOptions): Findings {
  return merged([
    ...subscriptions.map((each) => planLeftSubscription(each, options)),
    leftSource(source, subscriptions, options),
  ]);
}

function leftSource(
  { sourceId, managedBy, version }: CurrentSource["source"],
  subscriptions: readonly SubscriptionView[],
  { owner, prune }: PlanOptions,
): Findings {
  if (managedBy !== owner) return nothing;
  const subject = { kind: "source", name: sourceId, path: null } as const;
  const others = subscriptions.filter((each) => each.managedBy !== owner).length;
  if (others > 0) return keeping(subject, `has subscriptions that this file did not make (${others})`);
  return prune ? deletion(subject, `/sources/${encodeURIComponent(sourceId)}`, version) : keeping(subject, notPruned);
}

/** A subscription that the file does not name. */
export function planLeftSubscription(left: SubscriptionView, { owner, prune }: PlanOptions): Findings {
  const { subscriptionId, sourceId, name, managedBy, version } = left;
  if (managedBy !== owner) return nothing;
  const subject = { kind: "subscription", name: `${sourceId}/${name ?? subscriptionId}`, path: null } as const;
  if (!prune) return keeping(subject, notPruned);
  return deletion(subject, `/subscriptions/${encodeURIComponent(subscriptionId)}`, version);
}
