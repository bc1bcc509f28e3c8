import { comparableNumber } from "./comparable.js";
import { headerName } from "./header-list.js";
import { pointerTokens } from "./json-pointer.js";

/** Bounds of a filter: it is read for every event of its source. Lengths are in characters. */
export const filterBounds = {
  conditions: 64,
  /** Levels of `all`, `any` and `not` around a condition. */
  depth: 5,
  pointer: 512,
  header: 256,
  text: 1_024,
  /** Of a number that is given as text. */
  number: 128,
  oneOf: 64,
  /** The whole filter as JSON. */
  json: 16_384,
} as const;

/** Something wrong with a filter, with what would be right. */
export interface FilterProblem {
  /** From the filter on: `["all", 1, "json"]`. */
  readonly path: readonly (string | number)[];
  readonly reason: string;
}

type Path = FilterProblem["path"];
type Fields = Readonly<Record<string, unknown>>;

/** More would only be longer: whoever has corrected these asks again. */
const mostProblems = 20;

/** What is wrong with a value that should be a filter; nothing when it is a `Filter`. Values themselves are not shown. */
export function filterProblems(value: unknown): readonly FilterProblem[] {
  const problems = nodeProblems(value, [], 0);
  if (problems.length > 0) return problems.slice(0, mostProblems);
  const conditions = conditionCount(value as Fields);
  if (conditions > filterBounds.conditions) {
    return problem(
      [],
      `has ${conditions} conditions, and may have ${filterBounds.conditions}: oneOf takes many values`,
    );
  }
  const length = JSON.stringify(value).length;
  return length > filterBounds.json ? problem([], `has ${length} characters, and may have ${filterBounds.json}`) : [];
}

const problem = (path: Path, reason: string): readonly FilterProblem[] => [{ path, reason }];

const kinds = ["all", "any", "not", "header", "json"] as const;

function nodeProblems(value: unknown, path: Path, depth: number): readonly FilterProblem[] {
  if (!isObject(value)) return problem(path, "must be an object: a condition, or all, any or not around conditions");
  const found = kinds.filter((kind) => kind in value);
  const [kind] = found;
  if (found.length > 1) return problem(path, `has ${found.join(" and ")}: use one, with all or any around several`);
  if (kind === undefined) return withoutKind(value, path);
  if (kind === "header" || kind === "json") return conditionProblems(kind, value, path);
  const strange = Object.keys(value).filter((name) => name !== kind);
  if (strange.length > 0)
    return strange.flatMap((name) => problem([...path, name], `does not belong beside ${kind}: leave it out`));
  if (depth >= filterBounds.depth) {
    return problem([...path, kind], `is nested deeper than ${filterBounds.depth} levels of all, any and not`);
  }
  return kind === "not"
    ? negatedProblems(value[kind], [...path, kind], depth)
    : listProblems(value[kind], [...path, kind], depth);
}

function withoutKind(value: Fields, path: Path): readonly FilterProblem[] {
  const missing = "use all, any, not, header or json";
  const strange = Object.keys(value).filter((name) => !isTest(name));
  if (strange.length === 0) return problem(path, `says nothing to look at: ${missing}`);
  return strange.flatMap((name) => problem([...path, name], `is not known in a filter: ${missing}`));
}

function negatedProblems(value: unknown, path: Path, depth: number): readonly FilterProblem[] {
  if (Array.isArray(value)) return problem(path, 'must be one condition: {"not":{"any":[…]}} takes several');
  return nodeProblems(value, path, depth + 1);
}

function listProblems(value: unknown, path: Path, depth: number): readonly FilterProblem[] {
  if (!Array.isArray(value)) return problem(path, "must be a list of conditions");
  if (value.length === 0) return problem(path, "must hold at least one condition: leave the list out, or fill it");
  if (value.length > filterBounds.conditions)
    return problem(
      path,
      `has ${value.length} entries, and may have ${filterBounds.conditions}: oneOf takes many values`,
    );
  return value.flatMap((each, index) => nodeProblems(each, [...path, index], depth + 1));
}

const tests = ["equals", "oneOf", "prefix", "exists"] as const;
const isTest = (name: string): name is (typeof tests)[number] => (tests as readonly string[]).includes(name);

function conditionProblems(kind: "header" | "json", value: Fields, path: Path): readonly FilterProblem[] {
  const names = Object.keys(value).filter((name) => name !== kind);
  const strange = names.filter((name) => !isTest(name));
  if (strange.length > 0) {
    const known = "is not known in a condition: use equals, oneOf, prefix or exists";
    return strange.flatMap((name) => problem([...path, name], known));
  }
  const [test] = names;
  if (test === undefined) return problem(path, "says nothing about the value: add equals, oneOf, prefix or exists");
  if (names.length > 1) return problem(path, `has ${names.join(" and ")}: use one, with all or any around several`);
  const place = kind === "header" ? headerProblem(value[kind]) : pointerProblem(value[kind]);
  return [...named([...path, kind], place), ...testProblems(kind, test, value[test], [...path, test])];
}

const named = (path: Path, reason: string | null) => (reason === null ? [] : problem(path, reason));

function headerProblem(name: unknown): string | null {
  if (typeof name !== "string") return "must be the name of a header, as text";
  if (name.length > filterBounds.header) return `must have at most ${filterBounds.header} characters`;
  return headerName.test(name) ? null : "is not a legal header name: use one such as x-topic";
}

function pointerProblem(pointer: unknown): string | null {
  const form = "must be a JSON pointer (RFC 6901): /id or /data/object/id, with ~0 for ~ and ~1 for /";
  if (typeof pointer !== "string" || pointerTokens(pointer) === null) return form;
  return textProblem(pointer, filterBounds.pointer);
}

function testProblems(kind: "header" | "json", test: string, value: unknown, path: Path): readonly FilterProblem[] {
  const asked = kind === "header" ? headerValueProblem : valueProblem;
  switch (test) {
    case "exists":
      return named(path, typeof value === "boolean" ? null : "must be true or false");
    case "prefix":
      return named(path, typeof value === "string" ? textProblem(value, filterBounds.text) : "must be text");
    case "equals":
      return named(path, asked(value));
    default:
      if (!Array.isArray(value)) return problem(path, "must be a list of values: equals takes a single one");
      if (value.length < 1 || value.length > filterBounds.oneOf)
        return problem(path, `must list 1 to ${filterBounds.oneOf} values`);
      return value.flatMap((each, index) => named([...path, index], asked(each)));
  }
}

const headerValueProblem = (value: unknown): string | null =>
  typeof value === "string"
    ? textProblem(value, filterBounds.text)
    : 'must be text, such as "5": headers have no other';

function valueProblem(value: unknown): string | null {
  if (value === null || typeof value === "boolean") return null;
  if (typeof value === "string") return textProblem(value, filterBounds.text);
  if (typeof value === "number") return numberProblem(value);
  if (!isObject(value) || Object.keys(value).join() !== "number")
    return 'must be text, a number, true, false, null, or {"number":"…"} for a number that is exact as written';
  const { number } = value;
  const isNumber = typeof number === "string" && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(number);
  if (!isNumber) return 'must hold a JSON number as text: {"number":"12345678901234567890"}';
  if (number.length > filterBounds.number) return `must have at most ${filterBounds.number} characters`;
  return comparableNumber(number) === null ? "has an exponent that no number needs" : null;
}

/** What up to 15 digits write is kept exactly by a JSON parser; whether more were rounded cannot be seen any more. */
function numberProblem(value: number): string | null {
  const written = String(value);
  const isExact = Number.isSafeInteger(value) || (!written.includes("e") && significantDigits(written) <= 15);
  return isExact ? null : 'is rounded by JSON parsers: give it as text, {"number":"12345678901234567890"}';
}

const significantDigits = (written: string): number => written.replaceAll(/\D/g, "").replace(/^0+/, "").length;

function textProblem(text: string, most: number): string | null {
  if (text.length > most) return `must have at most ${most} characters`;
  return /\p{Surrogate}/u.test(text) ? "has half of a character pair (a lone surrogate): no UTF-8 text has one" : null;
}

function conditionCount(node: Fields): number {
  const list = node["all"] ?? node["any"];
  if (Array.isArray(list)) return list.reduce((sum, each) => sum + conditionCount(each), 0);
  return isObject(node["not"]) ? conditionCount(node["not"]) : 1;
}

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
