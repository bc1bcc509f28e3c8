/** A clock that moves only when told to. Epoch milliseconds. */
export interface VirtualClock {
  readonly now: () => number;
  advance(seconds: number): void;
  set(atMs: number): void;
}

/** Starts at a fixed, arbitrary moment, so that a test reads the same every day. */
export function virtualClock(startMs = Date.UTC(2026, 0, 1, 12)): VirtualClock {
  let atMs = startMs;
  return {
    now: () => atMs,
    advance(seconds) {
      atMs += seconds * 1000;
    },
    set(to) {
      atMs = to;
    },
  };
}

/** A reproducible stand-in for Math.random (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
