import { freshId } from "../../core/ids.js";
import type { Source } from "../../core/model.js";
import { valueRuleProblem } from "../../core/values.js";
import type { OpenSource } from "../ports.js";
import type { AdminContext } from "./context.js";
import { decodeCursor, encodeCursor } from "./cursor.js";
import { equalJson, isObject, type JsonObject, mergePatch } from "./merge-patch.js";
import { parse } from "./parse.js";
import type { SecretValues } from "./ports.js";
import { type FieldProblem, invalidRequest, refusal, unknown } from "./problem.js";
import { type PageQuery, type SourceInput, slug, sourceSchema } from "./schemas.js";
import { noSecrets, type SecretSet } from "./secrets.js";
import {
  type HandshakeSet,
  handshakeAsStored,
  handshakeProblems,
  handshakeSet,
  noHandshake,
  writtenHandshake,
} from "./source-handshake.js";
import { keptVerification, schemeProblems, secretsOf, withoutSecrets } from "./source-verification.js";
import { type Preconditions, requirePreconditions, untilUnchanged } from "./versions.js";
import type { SourceView } from "./view-schemas.js";
import { sourceView } from "./views.js";

/** Sources: create, read, list, change, delete. */

export async function createSource(context: AdminContext, body: JsonObject): Promise<SourceView> {
  const input = parse(sourceSchema, body);
  const sourceId = input.sourceId ?? freshId("src", context.now(), context.entropy(10));
  const { source, secrets } = newSource(context, sourceId, input);
  if (await context.sources.createSource(source, secrets.values)) return sourceView(source);
  throw refusal(409, "already_exists", `There is a source "${sourceId}" already.`);
}

export async function findSource(context: AdminContext, sourceId: string): Promise<SourceView> {
  const source = await context.sources.findSource(sourceId);
  if (source === null) throw unknown("unknown_source", sourceId);
  return sourceView(source);
}

export async function listSources(context: AdminContext, { limit, cursor }: PageQuery) {
  const list = ["sources"];
  const page = await context.sources.listSources({ after: decodeCursor(list, cursor), limit });
  return { items: page.items.map(sourceView), cursor: encodeCursor(list, page.after) };
}

/** RFC 7396 over what the caller once wrote; without `verification.secrets` the stored ones stay. */
export function changeSource(
  context: AdminContext,
  sourceId: string,
  patch: JsonObject,
  conditions: Preconditions,
): Promise<SourceView> {
  return untilUnchanged(async () => {
    const stored = await context.sources.openSource(sourceId);
    if (stored === null) throw unknown("unknown_source", sourceId);
    requirePreconditions(conditions, stored.version);
    return replace(context, stored, sourceInput(sourceId, mergePatch(writtenDocument(stored, patch), patch)));
  });
}

/** Creates the source under this id, or replaces it as a whole; secrets that are not given stay as they are. */
export function putSource(
  context: AdminContext,
  sourceId: string,
  body: JsonObject,
  conditions: Preconditions,
): Promise<{ readonly created: boolean; readonly source: SourceView }> {
  parse(slug, sourceId, "sourceId");
  const input = sourceInput(sourceId, body);
  return untilUnchanged(async () => {
    const stored = await context.sources.openSource(sourceId);
    requirePreconditions(conditions, stored?.version ?? null);
    if (stored !== null) {
      const source = await replace(context, stored, input);
      return source && { created: false, source };
    }
    const { source, secrets } = newSource(context, sourceId, input);
    const created = await context.sources.createSource(source, secrets.values);
    return created ? { created, source: sourceView(source) } : null;
  });
}

export function deleteSource(context: AdminContext, sourceId: string, conditions: Preconditions): Promise<true> {
  return untilUnchanged(async () => {
    const source = await context.sources.findSource(sourceId);
    if (source === null) throw unknown("unknown_source", sourceId);
    requirePreconditions(conditions, source.version);
    if (await context.sources.hasSubscriptions(sourceId)) {
      throw refusal(409, "has_subscriptions", `Source "${sourceId}" has subscriptions: delete them first.`);
    }
    return (await context.sources.deleteSource(source)) || null;
  });
}

/**
 * What a caller would write to get the stored source, secrets apart: the document that a patch is applied to. The
 * options of a scheme that the patch replaces are left out, as no other scheme has them.
 */
function writtenDocument(source: Source, { verification: patch }: JsonObject): JsonObject {
  const { description, verification, handshake, answer, dedupe, eventType, managedBy } = source;
  const kept = keptVerification(verification, isObject(patch) ? patch["scheme"] : undefined);
  const written = writtenHandshake(handshake);
  return { description, verification: kept, handshake: written, answer, dedupe, eventType, managedBy };
}

function sourceInput(sourceId: string, body: JsonObject): SourceInput {
  const input = parse(sourceSchema, body);
  if (input.sourceId === undefined || input.sourceId === sourceId) return input;
  throw invalidRequest([{ field: "sourceId", reason: "names another source than the path: an id never changes" }]);
}

function newSource(context: AdminContext, sourceId: string, input: SourceInput): Checked {
  const nowMs = context.now();
  const fixed = { sourceId, version: 1, createdAtMs: nowMs, updatedAtMs: nowMs };
  return checked(context, { ...fixed, ...definition(input) }, input, nothingKnown);
}

async function replace(context: AdminContext, stored: OpenSource, input: SourceInput): Promise<SourceView | null> {
  const { sourceId, version, createdAtMs } = stored;
  const fixed = { sourceId, version: version + 1, createdAtMs, updatedAtMs: context.now() };
  const known = knownSet(stored);
  const { source, secrets } = checked(context, { ...fixed, ...definition(input) }, input, known);
  // Saying what is there already is no change: a request that is sent again finds the version that it made.
  const { secretValues: _apart, verifyToken: _apartToo, ...before } = stored;
  const unchanged = { ...source, version, updatedAtMs: stored.updatedAtMs };
  if (equalJson(unchanged, before)) return sourceView(before);
  const values = sameIds(secrets.values, allValues(known)) ? null : secrets.values;
  return (await context.sources.replaceSource(source, values)) ? sourceView(source) : null;
}

/** What is sealed with a source. */
interface SealedSet {
  readonly secrets: SecretSet;
  readonly handshake: HandshakeSet;
}

const nothingKnown: SealedSet = { secrets: noSecrets, handshake: noHandshake };

const knownSet = ({ secrets, secretValues, handshake, verifyToken }: OpenSource): SealedSet => ({
  secrets: { refs: secrets, values: Object.fromEntries(secretValues.map(({ id, value }) => [id, value])) },
  handshake: handshakeAsStored(handshake, verifyToken),
});

const allValues = ({ secrets, handshake }: SealedSet): SecretValues => ({
  ...secrets.values,
  ...handshake.secrets.values,
});

/** A value has one id for ever: the same ids are the same values. */
const sameIds = (one: SecretValues, other: SecretValues): boolean =>
  Object.keys(one).length === Object.keys(other).length && Object.keys(one).every((id) => Object.hasOwn(other, id));

function definition({ description, verification, answer, dedupe, eventType, managedBy }: SourceInput) {
  return {
    description,
    verification: verification === null ? null : withoutSecrets(verification),
    // Null takes it away, as it does every field: the default again.
    answer: answer ?? "event-id",
    dedupe,
    eventType,
    managedBy,
  };
}

interface Checked {
  readonly source: Source;
  readonly secrets: { readonly values: SecretValues };
}

/** Completes a source with its secrets, or throws the 400 that says what is wrong with it. */
function checked(
  context: AdminContext,
  source: Omit<Source, "secrets" | "handshake">,
  { verification, handshake: given }: SourceInput,
  known: SealedSet,
): Checked {
  const secrets = verification === null ? noSecrets : secretsOf(context, verification, known.secrets);
  const handshake = handshakeSet(context, given, known.handshake);
  const problems = [
    ...(verification === null ? [] : schemeProblems(verification, secrets)),
    ...handshakeProblems(given, handshake, source.verification),
    ...ruleProblems("dedupe", source.dedupe),
    ...ruleProblems("eventType", source.eventType),
  ];
  if (problems.length > 0) throw invalidRequest(problems);
  return {
    source: { ...source, handshake: handshake.handshake, secrets: secrets.refs },
    secrets: { values: allValues({ secrets, handshake }) },
  };
}

function ruleProblems(field: "dedupe" | "eventType", rule: Source["dedupe"]): readonly FieldProblem[] {
  const problem = rule === null ? null : valueRuleProblem(rule);
  return problem === null ? [] : [{ field: `${field}.${problem.field}`, reason: problem.reason }];
}
