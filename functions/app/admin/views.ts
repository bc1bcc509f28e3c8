import { certificateEndMs } from "../../core/client-tls.js";
import { isSlow } from "../../core/gate.js";
import type { ClientTls, Handshake, SecretRef, Source } from "../../core/model.js";
import { isLiveSecret } from "../../core/sealed-secrets.js";
import type { AdminContext } from "./context.js";
import { presetOf, resolveSubscription } from "./definitions.js";
import { gateViewOf } from "./gate-view.js";
import type { HandshakeView } from "./handshake-schemas.js";
import type { GatedSubscription } from "./ports.js";
import type { SourceView, SubscriptionView } from "./view-schemas.js";

/** The shapes that the admin API shows: times as ISO strings, secrets as ids only. */

/** ISO 8601, UTC. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();

const secretView = ({ id, createdAtMs }: SecretRef) => ({ id, createdAt: isoTime(createdAtMs) });

const signingSecretView = (secret: SecretRef) => ({
  ...secretView(secret),
  expiresAt: secret.expiresAtMs === undefined ? null : isoTime(secret.expiresAtMs),
});

function tlsView(tls: ClientTls) {
  const endMs = certificateEndMs(tls);
  return { ...tls, ...(endMs === null ? {} : { certificateExpiresAt: isoTime(endMs) }) };
}

function handshakeView(handshake: Handshake | null): HandshakeView | null {
  return handshake?.kind === "meta" ? { ...handshake, verifyToken: secretView(handshake.verifyToken) } : handshake;
}

export function sourceView(source: Source): SourceView {
  const { sourceId, description, verification, answer, dedupe, eventType, version, managedBy } = source;
  return {
    sourceId,
    description,
    verification: verification === null ? null : { ...verification, secrets: source.secrets.map(secretView) },
    handshake: handshakeView(source.handshake),
    answer,
    dedupe,
    eventType,
    version,
    managedBy,
    createdAt: isoTime(source.createdAtMs),
    updatedAt: isoTime(source.updatedAtMs),
  };
}

/** With policy, timeouts and circuit as they are in force: presets and system defaults applied. */
export function subscriptionView(
  { record, gate }: GatedSubscription,
  { defaults, now }: Pick<AdminContext, "defaults" | "now">,
): SubscriptionView {
  const subscription = resolveSubscription(record, defaults);
  return {
    subscriptionId: record.subscriptionId,
    sourceId: record.sourceId,
    name: record.name,
    description: record.description,
    url: record.url,
    status: gate.status,
    statusReason: gate.statusReason,
    slowUntil: isSlow(gate, now()) ? isoTime(gate.slowUntilMs as number) : null,
    gate: gateViewOf(gate, now()),
    policy: { preset: presetOf(record.policy, defaults), ...subscription.policy },
    timeouts: subscription.timeouts,
    circuit: subscription.circuit,
    /** What the owner wrote of these three; null: nothing. Compared by whoever keeps a subscription as a document. */
    given: { policy: record.policy, timeouts: record.timeouts, circuit: record.circuit },
    maxPerSecond: record.maxPerSecond,
    types: record.types,
    filter: record.filter,
    forwardSuffix: record.forwardSuffix,
    signing: record.signing,
    secrets: record.secrets.filter((secret) => isLiveSecret(secret, now())).map(signingSecretView),
    headers: record.headers,
    tls: record.tls === null ? null : tlsView(record.tls),
    version: record.version,
    managedBy: record.managedBy,
    createdAt: isoTime(record.createdAtMs),
    updatedAt: isoTime(record.updatedAtMs),
  };
}
