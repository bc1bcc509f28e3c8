import { freshId } from "../../core/ids.js";
import type { SecretRef } from "../../core/model.js";
import { newSigningSecret, signingSecretProblem } from "../../core/standard-webhooks.js";
import type { AdminContext } from "./context.js";
import type { JsonObject } from "./merge-patch.js";
import { parse } from "./parse.js";
import type { GatedSubscription } from "./ports.js";
import { invalidRequest, refusal, unknown } from "./problem.js";
import { rotationSchema } from "./schemas.js";
import type { SecretSet } from "./secrets.js";
import { withoutExpired } from "./subscription-secrets.js";
import { requireSubscription } from "./subscriptions.js";
import { mostSecrets } from "./verification-schema.js";
import { type Preconditions, requirePreconditions, untilUnchanged } from "./versions.js";
import type { SubscriptionView } from "./view-schemas.js";
import { subscriptionView } from "./views.js";

/**
 * A new signing secret: the old ones sign beside it for `overlapSeconds`, so that the receiver changes over in its own
 * time. Each request is signed when it is sent, so that one that was queued before carries both signatures, too. Takes
 * effect everywhere within 10 s. A secret that the relay made is shown in this answer only.
 */
export function rotateSecret(
  context: AdminContext,
  subscriptionId: string,
  body: JsonObject,
  conditions: Preconditions,
): Promise<SubscriptionView> {
  const { signingSecret, overlapSeconds } = parse(rotationSchema, body);
  const reason = signingSecret === undefined ? null : signingSecretProblem(signingSecret);
  if (reason !== null) throw invalidRequest([{ field: "signingSecret", reason }]);
  return changeSecrets(context, subscriptionId, conditions, (known) => {
    const value = signingSecret ?? newSigningSecret(context.entropy(32));
    const secrets = rotated(context, known, value, overlapSeconds);
    return signingSecret === undefined ? { secrets, generated: value } : { secrets };
  });
}

/** Ends one signing secret at once; the last one stays, since what is signed needs one. */
export function revokeSecret(
  context: AdminContext,
  subscriptionId: string,
  secretId: string,
  conditions: Preconditions,
): Promise<SubscriptionView> {
  return changeSecrets(context, subscriptionId, conditions, (known) => {
    const left = known.refs.filter(({ id }) => id !== secretId);
    if (left.length === known.refs.length) throw unknown("unknown_secret", secretId);
    if (!left.some(({ expiresAtMs }) => expiresAtMs === undefined)) {
      throw refusal(409, "last_secret", "It is the one that stays: rotate with overlapSeconds 0 to replace it.");
    }
    const { [secretId]: _revoked, ...values } = known.values;
    return { secrets: { refs: left, values } };
  });
}

interface Change {
  readonly secrets: SecretSet;
  readonly generated?: string;
}

function changeSecrets(
  context: AdminContext,
  subscriptionId: string,
  conditions: Preconditions,
  change: (known: SecretSet) => Change,
): Promise<SubscriptionView> {
  return untilUnchanged(async () => {
    const { record, gate } = await requireSubscription(context, subscriptionId);
    requirePreconditions(conditions, record.version);
    const values = await context.subscriptions.openSecrets(record);
    const { secrets, generated } = change(withoutExpired({ refs: record.secrets, values }, context.now()));
    const next = { ...record, secrets: secrets.refs, version: record.version + 1, updatedAtMs: context.now() };
    const outcome = await context.subscriptions.replaceSubscription(record, next, secrets.values);
    if (outcome !== "replaced") return null;
    const answer = subscriptionView({ record: next, gate } satisfies GatedSubscription, context);
    return generated === undefined ? answer : { ...answer, signingSecret: generated };
  });
}

/** The new secret first; each older one ends after the overlap, or earlier where it was to end earlier. */
function rotated(
  { now, entropy }: AdminContext,
  { refs, values }: SecretSet,
  value: string,
  overlapSeconds: number,
): SecretSet {
  const nowMs = now();
  const found = refs.find(({ id }) => values[id] === value);
  const newest: SecretRef = found
    ? { id: found.id, createdAtMs: found.createdAtMs }
    : { id: freshId("sec", nowMs, entropy(10)), createdAtMs: nowMs };
  const older = overlapSeconds === 0 ? [] : refs.filter(({ id }) => id !== newest.id);
  if (older.length >= mostSecrets) {
    const detail = `It has ${refs.length} live signing secrets, the most there can be: revoke one, or set overlapSeconds to 0.`;
    throw refusal(409, "too_many_secrets", detail);
  }
  const ending = older.map((ref) => {
    const expiresAtMs = Math.min(ref.expiresAtMs ?? Number.POSITIVE_INFINITY, nowMs + overlapSeconds * 1_000);
    return { ...ref, expiresAtMs };
  });
  const dropped = refs.map(({ id }) => id).filter((id) => !ending.some((ref) => ref.id === id));
  const kept = Object.entries(values).filter(([name]) => !dropped.includes(name));
  return { refs: [newest, ...ending], values: { ...Object.fromEntries(kept), [newest.id]: value } };
}
