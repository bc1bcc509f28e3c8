/** Time as the local endpoint needs it: read, and to be woken at. Tests give one that they move by hand. */
export interface LocalClock {
  /** Epoch milliseconds. */
  now(): number;
  /** Runs `callback` once, at `timeMs` or as soon after as possible; the answer cancels it. Never runs it at once. */
  at(timeMs: number, callback: () => void): () => void;
}

/** Longest single sleep: after a suspended laptop or a moved wall clock, a timer is at most this late. */
const longestSleepMs = 30_000;

/** The machine's clock. */
export function systemClock(now: () => number = Date.now): LocalClock {
  return {
    now,
    at(timeMs, callback) {
      let timer: NodeJS.Timeout;
      const sleep = (): void => {
        const leftMs = Math.max(0, timeMs - now());
        timer = setTimeout(() => (timeMs > now() ? sleep() : callback()), Math.min(leftMs, longestSleepMs));
      };
      sleep();
      return () => clearTimeout(timer);
    },
  };
}
