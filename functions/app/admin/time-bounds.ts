import type { ListRange } from "./ports.js";
import { invalidRequest } from "./problem.js";

/** Query parameters that bound a list by time: from `since` on, before `until`. */
interface TimeBounds {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** Throws the 400 of bounds between which nothing is. */
export function requireOrder({ since, until }: TimeBounds): void {
  if (since === undefined || until === undefined || Date.parse(since) < Date.parse(until)) return;
  throw invalidRequest([{ field: "until", reason: "is not after since: nothing was created in between" }]);
}

export function listRange(query: TimeBounds & { readonly limit: number }, after: string | null): ListRange {
  const { since, until, limit } = query;
  return { after, sinceMs: milliseconds(since), untilMs: milliseconds(until), expected: limit };
}

export function isWithin({ since, until }: TimeBounds, atMs: number): boolean {
  const [from, to] = [milliseconds(since), milliseconds(until)];
  return (from === null || atMs >= from) && (to === null || atMs < to);
}

const milliseconds = (time: string | undefined): number | null => (time === undefined ? null : Date.parse(time));
