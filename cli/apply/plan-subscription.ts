import type { SubscriptionView } from "../../functions/app/admin/view-schemas.js";
import type { FileSubscription } from "./apply-schema.js";
import { differences } from "./difference.js";
import { keptByAnother, type PlanOptions } from "./plan-options.js";
import { secretChange } from "./secrets.js";
import { change, creation, type Findings } from "./step.js";
import { type FileSecret, fileSecrets, publicSubscription } from "./subscription-secrets.js";

/** What it takes to make one subscription as the file says. */
export function planSubscription(
  sourceId: string,
  wanted: FileSubscription,
  found: SubscriptionView | undefined,
  path: string,
  options: PlanOptions,
): Findings {
  const subject = { kind: "subscription", name: `${sourceId}/${wanted.name}`, path } as const;
  const document = { ...publicSubscription(wanted), managedBy: options.owner };
  const secrets = fileSecrets(wanted, found);
  const complete = (sent: readonly FileSecret[]) =>
    sent.reduce<Readonly<Record<string, unknown>>>(
      (body, { field, source, put }) => put(body, options.secrets.read(source, `${path}.${field}`)),
      document,
    );
  const listPath = `/sources/${encodeURIComponent(sourceId)}/subscriptions`;
  if (found === undefined) return creation(subject, listPath, complete(secrets));
  const foreign = keptByAnother(subject, found.managedBy, options);
  if (foreign !== null) return foreign;
  const changes = differences(storedDocument(found), document);
  const sent = secrets.filter(({ stored, stale }) => !stored || stale || options.updateSecrets);
  const secretChanges = sent.flatMap(({ field, stored }) => secretChange(field, 1, stored ? 1 : 0, true));
  const request = {
    method: "PUT",
    path: `${listPath}/${encodeURIComponent(wanted.name)}`,
    body: complete(sent),
    ifMatch: found.version,
  } as const;
  return change(subject, [...changes, ...secretChanges], request);
}

/** The request that would give the stored subscription, secrets apart. */
function storedDocument(subscription: SubscriptionView) {
  const { name, description, url, given, maxPerSecond, types, forwardSuffix, signing, managedBy } = subscription;
  const { headers, tls, filter } = subscription;
  const { certificateExpiresAt: _derived, ...givenTls } = tls ?? {};
  const own = { filter, headers, tls: tls === null ? null : givenTls };
  return { name, description, url, ...given, maxPerSecond, types, forwardSuffix, signing, ...own, managedBy };
}
