/**
 * A subscription's `types`: patterns over an event's dotted type. A segment of a pattern is a literal or `*`; a `*` in
 * the middle stands for exactly one segment, at the end for one or more (`invoice.*` takes `invoice.paid` and
 * `invoice.payment.failed`, not `invoice`). Case-sensitive.
 */

/** True when a subscription with these patterns wants the type. Null patterns want everything, untyped events too. */
export function typeMatches(patterns: readonly string[] | null, type: string | null): boolean {
  if (patterns === null) return true;
  if (type === null) return false;
  const segments = type.split(".");
  return patterns.some((pattern) => segmentsMatch(pattern.split("."), segments));
}

function segmentsMatch(pattern: readonly string[], segments: readonly string[]): boolean {
  const open = pattern.at(-1) === "*";
  if (open ? segments.length < pattern.length : segments.length !== pattern.length) return false;
  return pattern.every((part, index) => part === "*" || part === segments[index]);
}

/** Longest pattern, in characters. */
const longestPattern = 128;

/** What is wrong with a pattern; null when it is sound. */
export function typePatternProblem(pattern: string): string | null {
  if (pattern.length < 1 || pattern.length > longestPattern) return `must have 1 to ${longestPattern} characters`;
  if (/\s/.test(pattern)) return "must not hold white space";
  const segments = pattern.split(".");
  if (segments.includes("")) return "must not have an empty segment: dots stand between segments only";
  const partial = segments.some((segment) => segment !== "*" && segment.includes("*"));
  return partial ? "may use * for a whole segment only, as in invoice.*" : null;
}
