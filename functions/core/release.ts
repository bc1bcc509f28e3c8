import type { Delivery, Gate, ReleaseState, RetryPolicy } from "./model.js";
import { freeSlots, slotIntervalMs } from "./rate.js";
import { firstPerSecond, nextPace, startPace } from "./release-pace.js";
import { withTick } from "./ticks.js";

/** A release: parked deliveries are let go in the order in which their events were received, page by page. */

/** One tick a second. */
export const tickMs = 1_000;
/** Before the second pass: entries that the index showed late, or that were parked while the gate opened, are seen. */
const passDelayMs = 30_000;
/** A tick that comes late makes up for it, but not by a burst. */
const mostCatchUp = 1.25;

/** The release that goes on, with the pace that the last tick's outcomes ask for; a new one where there is none. */
export function continuedRelease(gate: Gate, nowMs: number): ReleaseState {
  const { release, counts } = gate;
  if (release !== undefined && release.endedAtMs === undefined) {
    return { ...release, pace: nextPace(release.pace, counts) };
  }
  const pace = startPace(release?.pace, counts);
  return { startedAtMs: nowMs, released: 0, from: null, after: null, sent: 0, lastPass: false, pace };
}

/** Deliveries that the tick lets go: what the pace allows since the last one, and no more than there are free slots. */
export function pageSize(gate: Gate, { pace }: ReleaseState, maxPerSecond: number | null, nowMs: number): number {
  const lateMs = nowMs - (gate.tick?.dueAtMs ?? nowMs);
  const seconds = Math.min(mostCatchUp, Math.max(1, (tickMs + lateMs) / 1000));
  const byPace = Math.max(1, Math.floor(pace.perSecond * seconds));
  return maxPerSecond === null ? byPace : Math.min(byPace, freeSlots(gate, maxPerSecond, nowMs));
}

/** When the next page is due: in a second, or when there are slots again. */
export function nextPageAtMs({ nextFreeAtMs = 0 }: Gate, maxPerSecond: number | null, nowMs: number): number {
  if (maxPerSecond === null) return nowMs + tickMs;
  const intervalMs = slotIntervalMs(maxPerSecond);
  // A page has the slots of its second, or the next one where they are further apart.
  return Math.ceil(Math.max(nowMs + tickMs, nextFreeAtMs + Math.min(0, intervalMs - tickMs)));
}

/**
 * True while a delivery's last attempt is better kept: in the first pass of a release the destination is given as much as
 * it takes, and what it refuses then would be lost. The second pass comes after the rush. (With one attempt in all there
 * is none to keep.)
 */
export function keepsLastAttempt(
  { release }: Pick<Gate, "release">,
  { attemptsStarted }: Pick<Delivery, "attemptsStarted">,
  { maxAttempts }: Pick<RetryPolicy, "maxAttempts">,
): boolean {
  const isRush = release !== undefined && release.endedAtMs === undefined && !release.lastPass;
  return isRush && attemptsStarted > 0 && attemptsStarted + 1 >= maxAttempts;
}

/** What a tick did with a page: `sentAtOnce` of those that it let go are due, others were kept for the second pass. */
export interface Page {
  readonly last: string;
  readonly size: number;
  readonly letGo: number;
  readonly sentAtOnce: number;
}

export function afterPage(release: ReleaseState, { last, size, letGo, sentAtOnce }: Page): ReleaseState {
  const { after, released, sent } = release;
  const page = { sentAtOnce, others: size - sentAtOnce };
  return { ...release, from: after, after: last, page, sent: sent + size, released: released + letGo };
}

/**
 * True when there may be a backlog in the queue, behind which new events would wait: a look at what is still parked of
 * the last page tells. Slots see their own backlog. The first pace and small pages are never waited with: nothing can
 * hold up a release for good.
 */
export function mayBeBehind({ pace, page }: ReleaseState, maxPerSecond: number | null): boolean {
  if (maxPerSecond !== null || page === undefined) return false;
  return pace.perSecond > firstPerSecond && page.sentAtOnce >= firstPerSecond;
}

/** Of the last page, as many may still be parked a tick later: when there are more, the queue has not got to its greater part. */
export function mostStillParked({ page = { sentAtOnce: 0, others: 0 } }: ReleaseState): number {
  return page.others + Math.floor(page.sentAtOnce / 2);
}

/**
 * The gate after the last page of a pass: on its way to the next one, or with a release that is over. There is a second
 * pass although the first found none: the index may not show yet what was parked just before the gate opened. What a
 * second pass finds may only wait in a backlog, and another look would make copies: the rest is left to the sweeper, which
 * comes ever more rarely, and not at all where nothing was found. `by`: the message of this tick.
 */
export function afterPass(gate: Gate, release: ReleaseState, nowMs: number, by: string | null = null): Gate {
  if (release.lastPass) {
    const holdsParked = release.sent > 0 && gate.holdsParked;
    return withTick({ ...gate, release: { ...release, endedAtMs: nowMs }, holdsParked }, null, by);
  }
  const { page: _done, ...kept } = release;
  const next = { ...kept, from: null, after: null, sent: 0, lastPass: true };
  return withTick({ ...gate, release: next }, nowMs + passDelayMs, by);
}
