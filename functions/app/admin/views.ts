import type { SecretRef, Source } from "../../core/model.js";
import type { SystemDefaults } from "../../shared/env.js";
import { presetOf, resolveSubscription } from "./definitions.js";
import type { GatedSubscription } from "./ports.js";
import type { SourceView, SubscriptionView } from "./view-schemas.js";

/** The shapes that the admin API shows: times as ISO strings, secrets as ids only. */

/** ISO 8601, UTC. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();

const secretView = ({ id, createdAtMs }: SecretRef) => ({ id, createdAt: isoTime(createdAtMs) });

export function sourceView(source: Source): SourceView {
  const { sourceId, description, verification, dedupe, eventType, version, managedBy } = source;
  return {
    sourceId,
    description,
    verification: verification === null ? null : { ...verification, secrets: source.secrets.map(secretView) },
    dedupe,
    eventType,
    version,
    managedBy,
    createdAt: isoTime(source.createdAtMs),
    updatedAt: isoTime(source.updatedAtMs),
  };
}

/** With policy, timeouts and circuit as they are in force: presets and system defaults applied. */
export function subscriptionView({ record, gate }: GatedSubscription, defaults: SystemDefaults): SubscriptionView {
  const subscription = resolveSubscription(record, defaults);
  return {
    subscriptionId: record.subscriptionId,
    sourceId: record.sourceId,
    name: record.name,
    description: record.description,
    url: record.url,
    status: gate.status,
    statusReason: gate.statusReason,
    policy: { preset: presetOf(record.policy, defaults), ...subscription.policy },
    timeouts: subscription.timeouts,
    circuit: subscription.circuit,
    /** What the owner wrote of these three; null: nothing. Compared by whoever keeps a subscription as a document. */
    given: { policy: record.policy, timeouts: record.timeouts, circuit: record.circuit },
    maxPerSecond: record.maxPerSecond,
    types: record.types,
    filter: null,
    forwardSuffix: record.forwardSuffix,
    signing: record.signing,
    secrets: record.secrets.map(secretView),
    version: record.version,
    managedBy: record.managedBy,
    createdAt: isoTime(record.createdAtMs),
    updatedAt: isoTime(record.updatedAtMs),
  };
}
