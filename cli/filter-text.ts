import type { Filter, FilterCondition, FilterValue } from "../functions/core/model.js";

/** A filter on one line, for the eye: `all(header x-topic = "a", not(json /livemode = false))`. */
export function filterText(filter: Filter): string {
  if ("all" in filter) return `all(${filter.all.map(filterText).join(", ")})`;
  if ("any" in filter) return `any(${filter.any.map(filterText).join(", ")})`;
  if ("not" in filter) return `not(${filterText(filter.not)})`;
  return conditionText(filter);
}

/** `json /type in ["a","b"]`. */
export function conditionText(condition: FilterCondition): string {
  const place = "header" in condition ? `header ${condition.header}` : `json ${condition.json || '""'}`;
  if ("equals" in condition) return `${place} = ${valueText(condition.equals)}`;
  if ("oneOf" in condition) return `${place} in [${condition.oneOf.map(valueText).join(",")}]`;
  if ("prefix" in condition) return `${place} = ${JSON.stringify(condition.prefix)}…`;
  return `${place} ${condition.exists ? "exists" : "does not exist"}`;
}

const valueText = (value: FilterValue): string =>
  typeof value === "object" && value !== null ? value.number : JSON.stringify(value);
