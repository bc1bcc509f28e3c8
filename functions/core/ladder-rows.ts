import type { PreviewAttempt } from "./policy-preview.js";

/** A line of a ladder: one attempt, or several of which none is worth a line of its own. */
export type LadderRow =
  | { readonly kind: "attempt"; readonly attempt: PreviewAttempt }
  | {
      readonly kind: "more";
      readonly first: PreviewAttempt;
      readonly last: PreviewAttempt;
      /** All of them have the delay of the attempt before them. */
      readonly sameDelay: boolean;
    };

/** As many lines as an eye takes in; the longest preset has 10. */
const mostRows = 14;

/**
 * A ladder as lines. A long one is summarised: its beginning up to where the delay no longer changes, the last attempt,
 * and one line for those between.
 */
export function ladderRows(attempts: readonly PreviewAttempt[]): readonly LadderRow[] {
  const rows = (some: readonly PreviewAttempt[]) => some.map((attempt) => ({ kind: "attempt" as const, attempt }));
  if (attempts.length <= mostRows) return rows(attempts);
  const lastDelay = attempts.at(-1)?.delay.nominalSeconds;
  // Index of the first attempt from which on every delay is the last one.
  const settled = attempts.findLastIndex(({ delay }) => delay.nominalSeconds !== lastDelay) + 1;
  const shown = Math.min(settled + 1, mostRows - 3);
  const between = attempts.slice(shown, -1);
  const [first, last] = [between[0], between.at(-1)];
  if (first === undefined || last === undefined) return rows(attempts);
  const more = { kind: "more" as const, first, last, sameDelay: settled < shown };
  return [...rows(attempts.slice(0, shown)), more, ...rows(attempts.slice(-1))];
}
