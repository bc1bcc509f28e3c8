import { freshId } from "../../core/ids.js";
import type { Source, Verification } from "../../core/model.js";
import { valueRuleProblem } from "../../core/values.js";
import { verificationProblems } from "../../core/verification/problems.js";
import type { OpenSource } from "../ports.js";
import type { AdminContext } from "./context.js";
import { decodeCursor, encodeCursor } from "./cursor.js";
import { equalJson, isObject, type JsonObject, mergePatch } from "./merge-patch.js";
import { parse } from "./parse.js";
import { type FieldProblem, invalidRequest, refusal, unknown } from "./problem.js";
import { type PageQuery, type SourceInput, slug, sourceSchema, type VerificationInput } from "./schemas.js";
import { noSecrets, type SecretSet, secretSet } from "./secrets.js";
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
  const { description, verification, dedupe, eventType, managedBy } = source;
  const replaced = isObject(patch) && "scheme" in patch && patch["scheme"] !== verification?.scheme;
  const { hmac: _ofOneScheme, ...anyScheme } = verification ?? {};
  const kept = verification === null || !replaced ? verification : anyScheme;
  return { description, verification: kept, dedupe, eventType, managedBy };
}

function sourceInput(sourceId: string, body: JsonObject): SourceInput {
  const input = parse(sourceSchema, body);
  if (input.sourceId === undefined || input.sourceId === sourceId) return input;
  throw invalidRequest([{ field: "sourceId", reason: "names another source than the path: an id never changes" }]);
}

function newSource(context: AdminContext, sourceId: string, input: SourceInput): Checked {
  const nowMs = context.now();
  const fixed = { sourceId, version: 1, createdAtMs: nowMs, updatedAtMs: nowMs };
  return checked(context, { ...fixed, ...definition(input) }, input, noSecrets);
}

async function replace(context: AdminContext, stored: OpenSource, input: SourceInput): Promise<SourceView | null> {
  const { sourceId, version, createdAtMs } = stored;
  const fixed = { sourceId, version: version + 1, createdAtMs, updatedAtMs: context.now() };
  const known = knownSecrets(stored);
  const { source, secrets } = checked(context, { ...fixed, ...definition(input) }, input, known);
  // Saying what is there already is no change: a request that is sent again finds the version that it made.
  const { secretValues: _apart, ...before } = stored;
  const unchanged = { ...source, version, updatedAtMs: stored.updatedAtMs };
  if (equalJson(unchanged, before)) return sourceView(before);
  const values = secrets === known ? null : secrets.values;
  return (await context.sources.replaceSource(source, values)) ? sourceView(source) : null;
}

const knownSecrets = ({ secrets, secretValues }: OpenSource): SecretSet => ({
  refs: secrets,
  values: Object.fromEntries(secretValues.map(({ id, value }) => [id, value])),
});

function definition({ description, verification, dedupe, eventType, managedBy }: SourceInput) {
  return {
    description,
    verification: verification === null ? null : withoutSecrets(verification),
    dedupe,
    eventType,
    managedBy,
  };
}

const withoutSecrets = ({ scheme, onFailure, hmac }: VerificationInput): Verification => ({
  scheme,
  onFailure,
  ...(hmac === undefined ? {} : { hmac }),
});

interface Checked {
  readonly source: Source;
  readonly secrets: SecretSet;
}

/** Completes a source with its secrets, or throws the 400 that says what is wrong with it. */
function checked(
  context: AdminContext,
  source: Omit<Source, "secrets">,
  { verification }: SourceInput,
  known: SecretSet,
): Checked {
  const secrets = verification === null ? noSecrets : secretsOf(context, verification, known);
  const problems = [
    ...(verification === null ? [] : schemeProblems(verification, secrets)),
    ...ruleProblems("dedupe", source.dedupe),
    ...ruleProblems("eventType", source.eventType),
  ];
  if (problems.length > 0) throw invalidRequest(problems);
  return { source: { ...source, secrets: secrets.refs }, secrets };
}

function secretsOf(context: AdminContext, { scheme, secrets }: VerificationInput, known: SecretSet): SecretSet {
  // Under IAM nothing is shared with the caller: what an earlier scheme needed is dropped.
  if (scheme === "iam") return noSecrets;
  return secrets === undefined ? known : secretSet(context, secrets, known);
}

function schemeProblems(verification: VerificationInput, secrets: SecretSet): readonly FieldProblem[] {
  const { scheme, hmac } = verification;
  const given = verification.secrets ?? secrets.refs.map(({ id }) => secrets.values[id] ?? "");
  return [
    ...verificationProblems(withoutSecrets(verification), given),
    ...(scheme !== "hmac" && hmac !== undefined
      ? [{ field: "verification.hmac", reason: `goes with the scheme hmac only, not with ${scheme}` }]
      : []),
    ...(scheme === "iam" && (verification.secrets ?? []).length > 0
      ? [{ field: "verification.secrets", reason: "must be left out: callers sign with their AWS credentials" }]
      : []),
  ];
}

function ruleProblems(field: "dedupe" | "eventType", rule: Source["dedupe"]): readonly FieldProblem[] {
  const problem = rule === null ? null : valueRuleProblem(rule);
  return problem === null ? [] : [{ field: `${field}.${problem.field}`, reason: problem.reason }];
}
