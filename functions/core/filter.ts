import { comparableLiteral, comparableNumber, comparableText } from "./comparable.js";
import { headerValue } from "./header-list.js";
import { jsonText } from "./json-body.js";
import { addPointer, type IndexedValue, indexJson, lookUp, type PointerTree } from "./json-index.js";
import { pointerTokens } from "./json-pointer.js";
import type { EventContent, Filter, FilterCondition, FilterValue } from "./model.js";

/** Evaluation of subscriptions' filters; what a filter may look like is in filter-problems.ts. */

/** An event's content as filters see it. */
export interface FilterSubject {
  /** Says which filters will be asked, so that one pass over the body serves all of them. */
  expect(filters: readonly Filter[]): void;
  /** Value of a header, without white space around it; null when it is absent. */
  header(name: string): string | null;
  /** What an expected filter's pointer leads to; null when there is nothing, or when the body is not JSON. */
  json(pointer: string): IndexedValue | null;
}

/** The body is not looked at before a condition asks for a JSON value; it is parsed at most once. */
export function filterSubject(content: EventContent): FilterSubject {
  const wanted: PointerTree = new Map();
  const headers = new Map<string, string | null>();
  let text: string | null | undefined;
  let index: IndexedValue | undefined;
  return {
    expect(filters) {
      for (const pointer of filters.flatMap(pointersOf)) {
        if (addPointer(wanted, pointerTokens(pointer) ?? [])) index = undefined;
      }
    },
    header(name) {
      const known = headers.get(name);
      if (known !== undefined) return known;
      const value = headerValue(content.headers, name);
      headers.set(name, value);
      return value;
    },
    json(pointer) {
      if (text === undefined) text = jsonText(content.body);
      const tokens = pointerTokens(pointer);
      if (text === null || tokens === null) return null;
      index ??= indexJson(text, wanted);
      return lookUp(index, tokens);
    },
  };
}

function pointersOf(filter: Filter): readonly string[] {
  if ("all" in filter) return filter.all.flatMap(pointersOf);
  if ("any" in filter) return filter.any.flatMap(pointersOf);
  if ("not" in filter) return pointersOf(filter.not);
  return "json" in filter ? [filter.json] : [];
}

/** Whether a subscription with this filter wants the event. The subject must expect the filter. */
export function filterMatches(filter: Filter, subject: FilterSubject): boolean {
  if ("all" in filter) return filter.all.every((each) => filterMatches(each, subject));
  if ("any" in filter) return filter.any.some((each) => filterMatches(each, subject));
  if ("not" in filter) return !filterMatches(filter.not, subject);
  return conditionMatches(filter, subject);
}

/**
 * One condition. What is not there equals nothing and has no prefix: a header or member that is absent, any member of a
 * body that is not JSON. Throws for a test that this version does not know: an answer would be a guess.
 */
export function conditionMatches(condition: FilterCondition, subject: FilterSubject): boolean {
  const found = "header" in condition ? headerFound(subject.header(condition.header)) : subject.json(condition.json);
  if ("exists" in condition) return (found !== null) === condition.exists;
  const comparable = found?.comparable ?? null;
  if ("equals" in condition) return isSame(comparable, condition.equals);
  if ("oneOf" in condition) return condition.oneOf.some((value) => isSame(comparable, value));
  if ("prefix" in condition) return comparable?.startsWith(comparableText(condition.prefix)) ?? false;
  throw new Error("a filter has a test that this version does not know");
}

const headerFound = (value: string | null) => (value === null ? null : { comparable: comparableText(value) });

const isSame = (comparable: string | null, value: FilterValue): boolean =>
  comparable !== null && comparable === comparableValue(value);

function comparableValue(value: FilterValue): string | null {
  if (typeof value === "string") return comparableText(value);
  if (typeof value === "number") return comparableNumber(String(value));
  return typeof value === "object" && value !== null ? comparableNumber(value.number) : comparableLiteral(value);
}
