import { conditionMatches, type FilterSubject, filterMatches } from "../functions/core/filter.js";
import type { Filter, FilterCondition } from "../functions/core/model.js";
import { conditionText } from "./filter-text.js";

/** What one condition of a filter said. */
export interface ConditionResult {
  /** Path inside the filter, such as `all[1].not`; empty: the filter is this condition. */
  readonly at: string;
  readonly condition: string;
  readonly matched: boolean;
  /** What was found, as written; null: nothing. */
  readonly found: string | null;
}

/** The answer of a filter, and of each condition in it: none is left out, also where the answer is settled already. */
export function tryFilter(filter: Filter, subject: FilterSubject) {
  subject.expect([filter]);
  return { matched: filterMatches(filter, subject), conditions: conditionResults(filter, subject, "") };
}

function conditionResults(filter: Filter, subject: FilterSubject, at: string): readonly ConditionResult[] {
  const [list, name] = "all" in filter ? [filter.all, "all"] : "any" in filter ? [filter.any, "any"] : [null, ""];
  if (list !== null)
    return list.flatMap((each, index) => conditionResults(each, subject, below(at, `${name}[${index}]`)));
  if ("not" in filter) return conditionResults(filter.not, subject, below(at, "not"));
  const condition = filter as FilterCondition;
  const matched = conditionMatches(condition, subject);
  return [{ at, condition: conditionText(condition), matched, found: foundText(condition, subject) }];
}

const below = (at: string, name: string): string => (at === "" ? name : `${at}.${name}`);

function foundText(condition: FilterCondition, subject: FilterSubject): string | null {
  if ("header" in condition) return subject.header(condition.header);
  const source = subject.json(condition.json)?.source ?? null;
  if (source === "{") return "an object";
  if (source === "[") return "a list";
  return source === null ? null : Buffer.from(source, "latin1").toString("utf8");
}
