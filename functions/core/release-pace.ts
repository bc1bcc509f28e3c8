import type { OutcomeCounts, Pace } from "./model.js";

/**
 * How fast parked deliveries are let go. The pace doubles until the destination refuses something; from then on it keeps
 * just below what was refused, and tries a little more now and then. Refusals halve it for a tick.
 */

/** The first second of a release: what hardly any destination minds. */
export const firstPerSecond = 10;
/** What one tick can send within its second. */
export const mostPerSecond = 1_000;

/** A new release's pace: half of what the last one found to be too fast, or slow. */
export function startPace(last: Pace | undefined): Pace {
  const ceiling = last?.ceiling ?? null;
  const perSecond = ceiling === null ? firstPerSecond : Math.max(1, ceiling / 2);
  return { perSecond, ceiling, patience: firstPatience, waited: 0, failuresSeen: 0 };
}

/** After a refusal the ceiling is left alone for this many ticks, twice as many after each further one. */
const firstPatience = 4;
const longestPatience = 64;
/** What is kept below the pace that was refused. */
const belowCeiling = 0.92;
/** A try above the ceiling. */
const growth = 1.04;
/** The part of a tick's deliveries that may fail without being a sign of too high a pace. */
const toleratedShare = 0.02;

/**
 * The pace of the next tick, after what has failed since the last one. A single failure among many is none of the pace's
 * business; failures of new events count as well, since the destination does not know which are which.
 */
export function nextPace(pace: Pace, counts: OutcomeCounts | undefined): Pace {
  const failures = counts?.failures ?? 0;
  // A count that went back is another generation's.
  const refused = failures < pace.failuresSeen ? failures : failures - pace.failuresSeen;
  const seen = { ...pace, failuresSeen: failures };
  if (refused > Math.max(1, pace.perSecond * toleratedShare)) return slower(seen);
  return faster(seen);
}

function slower(pace: Pace): Pace {
  // Refused again right after a refusal: even less is too much.
  const again = pace.ceiling !== null && pace.perSecond < pace.ceiling * belowCeiling;
  const ceiling = again ? Math.max(1, (pace.ceiling as number) * 0.9) : Math.max(1, pace.perSecond);
  const known = pace.ceiling !== null;
  return {
    ...pace,
    perSecond: Math.max(1, pace.perSecond / 2),
    ceiling,
    patience: known ? Math.min(longestPatience, pace.patience * 2) : firstPatience,
    waited: 0,
  };
}

function faster(pace: Pace): Pace {
  if (pace.ceiling === null) return { ...pace, perSecond: Math.min(mostPerSecond, pace.perSecond * 2) };
  const base = pace.ceiling * belowCeiling;
  if (pace.perSecond < base)
    return { ...pace, perSecond: Math.min(base, Math.max(pace.perSecond + 1, pace.perSecond * 2)) };
  if (pace.waited < pace.patience) return { ...pace, waited: pace.waited + 1 };
  const perSecond = Math.min(mostPerSecond, Math.max(pace.perSecond + 1, pace.perSecond * growth));
  // Well above what was once refused: the destination takes more than it did, and the search begins anew.
  const ceiling = perSecond > pace.ceiling * 1.3 ? null : pace.ceiling;
  return { ...pace, perSecond, ceiling };
}
