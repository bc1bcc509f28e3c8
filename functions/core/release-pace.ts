import type { OutcomeCounts, Pace } from "./model.js";

/**
 * How fast parked deliveries are let go. Nobody knows what a destination takes, and new events take a share of it that
 * changes from second to second. So the pace grows fast until the destination refuses something, and then follows it: a
 * little more while hardly anything is refused, less in proportion to what is, half when much is.
 */

/** The first second of a release: what hardly any destination minds. */
export const firstPerSecond = 10;
/** What one tick can send within its second. */
export const mostPerSecond = 1_000;

/** A new release's pace: half of what the last one came to, since the destination may have come back with less. */
export function startPace(last: Pace | undefined, counts: OutcomeCounts | undefined): Pace {
  const perSecond = Math.max(firstPerSecond, (last?.perSecond ?? 0) / 2);
  return { perSecond, isSearching: true, ...seen(counts) };
}

const seen = (counts: OutcomeCounts | undefined) => ({
  attemptsSeen: counts?.attempts ?? 0,
  failuresSeen: counts?.failures ?? 0,
});

/**
 * The share of failures that the pace keeps to: without any it could not tell where the limit is. Each is one of a
 * delivery's attempts, so it is small.
 */
const targetShare = 0.0375;
/** Weight of a tick: without a failure the pace grows by 1.5%, with a tenth refused it falls by 2.5%. */
const gain = 0.4;
/** From this share on the pace is halved. */
const halvingShare = 0.5;
/** A destination that fails now and then at any pace gets at least this part of what it takes. */
const leastShare = 0.05;

/**
 * The pace of the next tick, after what has come of all attempts since the last one, those of new events too: the
 * destination does not know which are which.
 */
export function nextPace(pace: Pace, counts: OutcomeCounts | undefined): Pace {
  const now = seen(counts);
  // Counts that went back are another generation's.
  const isReset = now.failuresSeen < pace.failuresSeen || now.attemptsSeen < pace.attemptsSeen;
  const failed = now.failuresSeen - (isReset ? 0 : pace.failuresSeen);
  const attempted = now.attemptsSeen - (isReset ? 0 : pace.attemptsSeen);
  // Held against what the release added: that is what it can take back.
  const share = failed === 0 ? 0 : failed / Math.max(1, Math.min(attempted, pace.perSecond));
  // It only keeps the pace from falling: counts are told together with failures, and may be of many ticks.
  const least = Math.min(pace.perSecond, Math.max(1, leastShare * (attempted - failed)));
  const perSecond = Math.max(least, pace.perSecond * factorFor(share, pace.isSearching));
  const isSearching = pace.isSearching && share <= targetShare;
  return { perSecond: Math.min(mostPerSecond, perSecond), isSearching, ...now };
}

/**
 * The pace while the queue is behind: a destination that refuses nothing, but answers slowly, takes no more than this.
 * One step is small, since nothing is let go meanwhile and the queue stays full.
 */
export function paceBehind(pace: Pace): Pace {
  return { ...pace, isSearching: false, perSecond: pace.perSecond * behindFactor };
}

const behindFactor = 0.9;

/** A search grows by this each second, and goes back by about one step. */
const searchFactor = 1.5;
const backFactor = 0.7;

function factorFor(share: number, isSearching: boolean): number {
  if (share >= halvingShare) return 0.5;
  if (isSearching) return share <= targetShare ? searchFactor : backFactor;
  return 1 + gain * (targetShare - share);
}
