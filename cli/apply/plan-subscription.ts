import type { SubscriptionView } from "../../functions/app/admin/view-schemas.js";
import type { FileSubscription } from "./apply-schema.js";
import { differences } from "./difference.js";
import { keptByAnother, type PlanOptions } from "./plan-options.js";
import { secretChange } from "./secrets.js";
import { change, creation, type Findings } from "./step.js";

/** What it takes to make one subscription as the file says. */
export function planSubscription(
  sourceId: string,
  wanted: FileSubscription,
  found: SubscriptionView | undefined,
  path: string,
  options: PlanOptions,
): Findings {
  const subject = { kind: "subscription", name: `${sourceId}/${wanted.name}`, path } as const;
  const { signingSecret, ...fields } = wanted;
  const document = { ...fields, managedBy: options.owner };
  const complete = () =>
    signingSecret === undefined
      ? document
      : { ...document, signingSecret: options.secrets.read(signingSecret, `${path}.signingSecret`) };
  const listPath = `/sources/${encodeURIComponent(sourceId)}/subscriptions`;
  if (found === undefined) return creation(subject, listPath, complete());
  const foreign = keptByAnother(subject, found.managedBy, options);
  if (foreign !== null) return foreign;
  const changes = differences(storedDocument(found), document);
  // One that the relay made has an id like any other, and a rotation adds one: all that shows is whether there is any.
  const stored = Math.min(found.secrets.length, 1);
  const secretChanges = secretChange("signingSecret", signingSecret ? 1 : 0, stored, options.updateSecrets);
  const body = secretChanges.length === 0 ? document : complete();
  const request = {
    method: "PUT",
    path: `${listPath}/${encodeURIComponent(wanted.name)}`,
    body,
    ifMatch: found.version,
  } as const;
  return change(subject, [...changes, ...secretChanges], request);
}

/** The request that would give the stored subscription, secrets apart. */
function storedDocument(subscription: SubscriptionView) {
  const { name, description, url, given, maxPerSecond, types, forwardSuffix, signing, managedBy } = subscription;
  return { name, description, url, ...given, maxPerSecond, types, forwardSuffix, signing, managedBy };
}
