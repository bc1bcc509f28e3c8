import { setTimeout as wait } from "node:timers/promises";

/** Somebody works: one thread for this share of the time, or several together. */
const busyShare = 0.5;

/** Long enough to see whether somebody works, short enough for those who wait. */
const lookMs = 50;

/** Work that goes on for ever is no reason for the others to wait for ever. */
const longestMs = 2_000;

/**
 * Whether another thread would help those who wait for `end`: false when it comes while somebody works, since the
 * machine's cores are few, and one thread more makes each of them slower. True when nobody works, because all wait for
 * somebody else (a destination that is slow or hangs), or after two seconds. `activeMs` tells how long all threads
 * together have worked so far.
 */
export async function standstillBefore(end: Promise<unknown>, activeMs: () => number): Promise<boolean> {
  const ended = end.then(() => true);
  const untilMs = performance.now() + longestMs;
  let [active, sinceMs] = [activeMs(), performance.now()];
  while (sinceMs < untilMs) {
    if (await Promise.race([ended, wait(lookMs, false, { ref: false })])) return false;
    const tookMs = performance.now() - sinceMs;
    // A look that comes late waited for a core: so does everybody else here.
    const workedMs = activeMs() - active + (tookMs - lookMs);
    if (workedMs < busyShare * tookMs) return true;
    [active, sinceMs] = [activeMs(), performance.now()];
  }
  return true;
}
