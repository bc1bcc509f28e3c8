import { invalidRequest } from "./problem.js";

export type JsonObject = Readonly<Record<string, unknown>>;

/** Deeper than any document of ours; a patch of thousands of levels must not end in a stack overflow. */
const deepest = 16;

/**
 * Fields that say which variant an object is. When a patch changes one, the object is another thing, and what belonged
 * to the old variant (a table's delays under a fixed schedule) goes with it.
 */
const discriminators = ["kind", "from"] as const;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** JSON Merge Patch (RFC 7396): objects are merged, null removes, everything else replaces. */
export function mergePatch(target: unknown, patch: JsonObject, depth = 0): JsonObject {
  if (depth > deepest) throw invalidRequest([{ field: "", reason: `is nested deeper than ${deepest} levels` }]);
  const base = isObject(target) && !becomesAnotherVariant(target, patch) ? target : {};
  const merged = new Map(Object.entries(base));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, isObject(value) ? mergePatch(merged.get(name), value, depth + 1) : value);
  }
  return Object.fromEntries(merged);
}

const becomesAnotherVariant = (target: JsonObject, patch: JsonObject): boolean =>
  discriminators.some((name) => name in target && name in patch && target[name] !== patch[name]);

/** The same JSON, whatever the order of its fields; a field that is undefined is none. */
export function equalJson(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => equalJson(item, other[index]));
  }
  if (!isObject(one) || !isObject(other)) return one === other;
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((name) => equalJson(one[name], other[name]));
}
