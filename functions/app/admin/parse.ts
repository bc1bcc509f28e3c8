import * as v from "valibot";
import { isObject } from "./merge-patch.js";
import { type FieldProblem, invalidRequest } from "./problem.js";

/** Checks a value against a schema; throws the 400 that names every field that is wrong, `name` for the value itself. */
export function parse<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
  name = "",
): v.InferOutput<Schema> {
  const lists = listsForObjects(schema, value);
  if (lists.length > 0) throw invalidRequest(lists);
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const problems = result.issues.map((issue) => fieldProblem(issue, schema));
  throw invalidRequest(problems.map((problem) => (problem.field === "" ? { ...problem, field: name } : problem)));
}

/** Valibot takes a list for an object without fields: said here, since every field of a policy may be left out. */
function listsForObjects(schema: unknown, value: unknown, field = ""): readonly FieldProblem[] {
  const { entries, wrapped } = schema as SchemaParts;
  if (wrapped !== undefined) return listsForObjects(wrapped, value, field);
  if (entries === undefined) return [];
  if (Array.isArray(value)) return [{ field, reason: "must be an object; it is a list" }];
  if (!isObject(value)) return [];
  return Object.entries(entries).flatMap(([name, inner]) =>
    listsForObjects(inner, value[name], field === "" ? name : `${field}.${name}`),
  );
}

/** What of a schema its kind decides: fields of an object, the schema that may be null or absent, variants. */
interface SchemaParts {
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly wrapped?: unknown;
  readonly options?: readonly unknown[];
}

function fieldProblem(issue: v.BaseIssue<unknown>, schema: v.GenericSchema): FieldProblem {
  const field = fieldPath(issue.path ?? []);
  if (isUnknownField(issue)) return unknownField(field, issue, schema);
  if (issue.kind === "schema" && issue.received === "undefined") return { field, reason: "is required" };
  // Valibot's own messages show the value, which may be secret: only those of our schemas are passed on.
  if (!issue.message.startsWith("Invalid ")) return { field, reason: issue.message };
  return { field, reason: `must be ${expectation(issue.expected ?? "something else")}; it is ${received(issue)}` };
}

/** A strict object reports a field that it does not know as "expected never". */
const isUnknownField = (issue: v.BaseIssue<unknown>): boolean =>
  issue.type === "strict_object" && issue.expected === "never";

/** `policy.schedule.delaysSeconds[2]`. */
function fieldPath(path: readonly v.IssuePathItem[]): string {
  return path
    .map(({ key }) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .replace(/^\./, "");
}

const kinds: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  boolean: "true or false",
  Array: "a list",
  Object: "an object",
  null: "null",
};

function expectation(expected: string): string {
  const options = expected.replace(/^\((.*)\)$/, "$1").split(" | ");
  const named = options.map((option) => kinds[option] ?? option);
  return named.length > 1 ? `one of ${named.join(", ")}` : (named[0] ?? expected);
}

/** The kind of what came, never its value: it may be secret. */
function received(issue: v.BaseIssue<unknown>): string {
  const { input } = issue;
  if (input === null) return "null";
  if (Array.isArray(input)) return "a list";
  if (typeof input === "string" && /^[("]/.test(issue.expected ?? "")) return "another text";
  return kinds[typeof input] ?? (typeof input === "object" ? "an object" : typeof input);
}

function unknownField(field: string, issue: v.BaseIssue<unknown>, schema: v.GenericSchema): FieldProblem {
  const name = field.split(".").at(-1) ?? field;
  // A field of another variant has the very name: no help to whoever wrote it.
  const known = fieldNames(schema, (issue.path ?? []).slice(0, -1)).filter((candidate) => candidate !== name);
  const near = known.find((candidate) => isNear(candidate, name));
  const fix = near === undefined ? `Use one of: ${known.join(", ")}.` : `Did you mean "${near}"?`;
  return { field, reason: "is not a known field", ...(known.length === 0 ? {} : { fix }) };
}

/** Names of the fields that the schema knows where the unknown one stood. */
function fieldNames(schema: unknown, path: readonly v.IssuePathItem[]): readonly string[] {
  const { entries, wrapped, options } = schema as SchemaParts;
  const [step, ...rest] = path;
  if (wrapped !== undefined) return fieldNames(wrapped, path);
  if (entries !== undefined)
    return step === undefined ? Object.keys(entries) : fieldNames(entries[String(step.key)], rest);
  if (options === undefined) return [];
  return [...new Set(options.flatMap((option) => fieldNames(option, path)))];
}

/** Equal but for case, separators and one or two typing errors. */
function isNear(candidate: string, name: string): boolean {
  const [a, b] = [candidate, name].map((word) => word.toLowerCase().replaceAll(/[^a-z0-9]/g, "")) as [string, string];
  return a === b || a.startsWith(b) || b.startsWith(a) || editDistance(a, b) <= Math.min(2, a.length / 3);
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (b[j - 1] === letter ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
