import { freshId } from "../../core/ids.js";
import type { Gate } from "../../core/model.js";
import { moveGateWithTicks } from "../ticks.js";
import type { AdminContext } from "./context.js";
import { decodeCursor, encodeCursor } from "./cursor.js";
import { newGate, type SubscriptionRecord } from "./definitions.js";
import { gateMover } from "./gate-mover.js";
import { equalJson, isObject, type JsonObject, mergePatch } from "./merge-patch.js";
import { parse } from "./parse.js";
import type { GatedSubscription } from "./ports.js";
import { invalidRequest, refusal, unknown } from "./problem.js";
import { type PageQuery, type SubscriptionInput, subscriptionName, subscriptionSchema } from "./schemas.js";
import { noSecrets, type SecretSet } from "./secrets.js";
import { type Itself, identityProblems, subscriptionProblems } from "./subscription-problems.js";
import {
  publicHeaders,
  publicTls,
  type SubscriptionSecrets,
  subscriptionSecrets,
  withoutExpired,
} from "./subscription-secrets.js";
import { type Preconditions, requirePreconditions, untilUnchanged } from "./versions.js";
import type { SubscriptionView } from "./view-schemas.js";
import { subscriptionView } from "./views.js";

/** Subscriptions: create, read, list, change, delete. */

export async function createSubscription(
  context: AdminContext,
  sourceId: string,
  body: JsonObject,
): Promise<SubscriptionView> {
  await requireSource(context, sourceId);
  const { record, secrets } = newSubscription(context, sourceId, newInput(context, sourceId, body));
  const outcome = await context.subscriptions.createSubscription(record, secrets.values);
  if (outcome === "source_missing") throw unknown("unknown_source", sourceId);
  if (outcome === "name_taken") throw nameTaken(record);
  return shown(context, { record, gate: newGate(record) }, secrets.generated);
}

/**
 * Creates the subscription under this name, or replaces it as a whole; without `signingSecret` the stored one stays,
 * and the status is not touched. What comes twice at the same time is one subscription: the name is claimed once.
 */
export function putSubscription(
  context: AdminContext,
  sourceId: string,
  name: string,
  body: JsonObject,
  conditions: Preconditions,
): Promise<{ readonly created: boolean; readonly subscription: SubscriptionView }> {
  const named = withName(name, body);
  return untilUnchanged(async () => {
    const stored = await context.subscriptions.findNamed(sourceId, name);
    if (stored === null) await requireSource(context, sourceId);
    requirePreconditions(conditions, stored?.record.version ?? null);
    if (stored === null) {
      const { record, secrets } = newSubscription(context, sourceId, newInput(context, sourceId, named));
      const outcome = await context.subscriptions.createSubscription(record, secrets.values);
      if (outcome === "source_missing") throw unknown("unknown_source", sourceId);
      if (outcome === "name_taken") return null;
      return { created: true, subscription: shown(context, { record, gate: newGate(record) }, secrets.generated) };
    }
    const subscription = await replace(context, stored, subscriptionInput(context, named, itself(stored)));
    return subscription && { created: false, subscription };
  });
}

/** The document with the name that the path gives it. */
function withName(name: string, body: JsonObject): JsonObject {
  const { name: given = name } = body;
  if (given !== name) throw invalidRequest([{ field: "name", reason: "differs from the name in the path" }]);
  return { ...body, name: parse(subscriptionName, name, "name") };
}

interface NewSubscription {
  readonly record: SubscriptionRecord;
  readonly secrets: SubscriptionSecrets;
}

function newSubscription(context: AdminContext, sourceId: string, input: SubscriptionInput): NewSubscription {
  const nowMs = context.now();
  const subscriptionId = freshId("sub", nowMs, context.entropy(10));
  const secrets = subscriptionSecrets(context, input, noSecrets);
  const fixed = { subscriptionId, sourceId, deletedAtMs: null, version: 1, createdAtMs: nowMs, updatedAtMs: nowMs };
  return { record: { ...fixed, ...definition(input), secrets: secrets.refs }, secrets };
}

export async function findSubscription(context: AdminContext, subscriptionId: string): Promise<SubscriptionView> {
  return subscriptionView(await requireSubscription(context, subscriptionId), context);
}

export async function listSubscriptions(context: AdminContext, sourceId: string, { limit, cursor }: PageQuery) {
  const list = ["subscriptions", sourceId];
  const after = decodeCursor(list, cursor);
  await requireSource(context, sourceId);
  const page = await context.subscriptions.listSubscriptions(sourceId, { after, limit });
  const items = page.items.map((subscription) => subscriptionView(subscription, context));
  return { items, cursor: encodeCursor(list, page.after) };
}

/** RFC 7396 over what the caller once wrote: null brings the default back; without `signingSecret` the stored stays. */
export function changeSubscription(
  context: AdminContext,
  subscriptionId: string,
  patch: JsonObject,
  conditions: Preconditions,
): Promise<SubscriptionView> {
  return untilUnchanged(async () => {
    const stored = await requireSubscription(context, subscriptionId);
    requirePreconditions(conditions, stored.record.version);
    const { filter = stored.record.filter, ...fields } = withLowerHeaders(patch);
    const merged = mergePatch(writtenDocument(stored.record), fields);
    // Whole: half of the old filter with half of the new one is neither, and null is a value inside of it.
    const input = subscriptionInput(context, { ...merged, filter }, itself(stored));
    return replace(context, stored, input);
  });
}

/** What is left is a tombstone, by which the subscription's open deliveries are ended; parked ones are let go for it. */
export async function deleteSubscription(
  context: AdminContext,
  subscriptionId: string,
  conditions: Preconditions,
): Promise<void> {
  const gate = await untilUnchanged(async () => {
    const found = await requireSubscription(context, subscriptionId);
    requirePreconditions(conditions, found.record.version);
    return (await context.subscriptions.deleteSubscription(found.record, context.now())) ? found.gate : null;
  });
  const { generation } = gate;
  try {
    await context.control.sendTick({ v: 1, kind: "tick", subscriptionId, seq: null, generation: generation + 1 }, 0);
  } catch {
    // It is deleted, and asking again would be answered with a 404: the sweeper lets go of them within minutes.
  }
}

async function requireSource(context: AdminContext, sourceId: string): Promise<void> {
  if ((await context.sources.findSource(sourceId)) === null) throw unknown("unknown_source", sourceId);
}

export async function requireSubscription(context: AdminContext, subscriptionId: string): Promise<GatedSubscription> {
  const found = await context.subscriptions.findSubscription(subscriptionId);
  if (found === null) throw unknown("unknown_subscription", subscriptionId);
  return found;
}

/** The checked definition of a subscription that does not exist yet. */
const newInput = (context: AdminContext, sourceId: string, body: JsonObject): SubscriptionInput =>
  subscriptionInput(context, body, { subscriptionId: null, sourceId, status: "active" });

const itself = ({ record: { subscriptionId, sourceId }, gate: { status } }: GatedSubscription): Itself => ({
  subscriptionId,
  sourceId,
  status,
});

/** The checked request. Ids and status are no part of it: saying what they are changes nothing, others are refused. */
function subscriptionInput(context: AdminContext, body: JsonObject, own: Itself): SubscriptionInput {
  const input = parse(subscriptionSchema, withLowerHeaders(body));
  const problems = [...identityProblems(input, own), ...subscriptionProblems(input, context)];
  if (problems.length > 0) throw invalidRequest(problems);
  return input;
}

/** Names of headers have no case: a patch of `X-Team` is one of `x-team`. */
function withLowerHeaders(body: JsonObject): JsonObject {
  const { headers } = body;
  if (!isObject(headers)) return body;
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw invalidRequest([{ field: `headers.${twice}`, reason: "stands there twice" }]);
  return { ...body, headers: Object.fromEntries(Object.values(headers).map((value, index) => [names[index], value])) };
}

function definition(input: SubscriptionInput) {
  const { subscriptionId: _made, sourceId: _ofThePath, status: _elsewhere, ...given } = input;
  const { signingSecret: _apart, headers, tls, ...rest } = given;
  return { ...rest, headers: publicHeaders(headers), tls: publicTls(tls) };
}

/** What a caller would write to get the stored subscription, secrets apart. */
function writtenDocument(record: SubscriptionRecord): JsonObject {
  const { name, description, url, policy, timeouts, circuit, maxPerSecond, types, managedBy } = record;
  const { forwardSuffix, signing, headers, tls } = record;
  const sent = { forwardSuffix, signing, headers, tls };
  return { name, description, url, policy, timeouts, circuit, maxPerSecond, types, ...sent, managedBy };
}

async function replace(
  context: AdminContext,
  { record: previous, gate }: GatedSubscription,
  input: SubscriptionInput,
): Promise<SubscriptionView | null> {
  const known: SecretSet = { refs: previous.secrets, values: await context.subscriptions.openSecrets(previous) };
  const given = subscriptionSecrets(context, input, known, previous.tls);
  const { version, updatedAtMs } = previous;
  const same = { ...previous, ...definition(input), version, updatedAtMs, secrets: given.refs };
  const sameValues = equalJson(given.values, known.values);
  // Saying what is there already is no change: a request that is sent again finds the version that it made.
  if (sameValues && equalJson(same, previous)) return shown(context, { record: previous, gate });
  const nowMs = context.now();
  const secrets = sameValues ? given : withoutExpired(given, nowMs);
  const record = { ...same, version: version + 1, updatedAtMs: nowMs, secrets: secrets.refs };
  const outcome = await context.subscriptions.replaceSubscription(previous, record, sameValues ? null : secrets.values);
  if (outcome === "name_taken") throw nameTaken(record);
  if (outcome === "changed") return null;
  const moved = record.url === previous.url ? null : await probeNow(context, record);
  return shown(context, { record, gate: moved ?? gate }, given.generated);
}

/**
 * Another destination need not wait for the outage of the one before: an open circuit is probed at once. The gate says which
 * version of the subscription that is for, since an older one may be cached somewhere. Answers the gate if it was moved.
 */
function probeNow(context: AdminContext, { subscriptionId, version }: SubscriptionRecord): Promise<Gate | null> {
  const probing = (gate: Gate): Gate | null => {
    const { circuit, subscriptionVersion = 0 } = gate;
    if (circuit === undefined) return null;
    const probeAtMs = Math.min(circuit.probeAtMs, context.now());
    return { ...gate, subscriptionVersion: Math.max(version, subscriptionVersion), circuit: { ...circuit, probeAtMs } };
  };
  return moveGateWithTicks(gateMover(context), subscriptionId, probing, () => context.now());
}

/** A secret that the relay made up is shown in the answer to the request that caused it, and never again. */
function shown(context: AdminContext, subscription: GatedSubscription, generated?: string): SubscriptionView {
  const answer = subscriptionView(subscription, context);
  return generated === undefined ? answer : { ...answer, signingSecret: generated };
}

const nameTaken = ({ name, sourceId }: SubscriptionRecord) =>
  refusal(409, "name_taken", `Source "${sourceId}" has another subscription that is named "${name}".`);
