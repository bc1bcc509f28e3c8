/**
 * Up to when everything that was created has been listed, by the relay's clock, of which only this is known: the newest
 * delivery that it has shown was created before it was shown. Our own clock measures how long ago that was, nothing
 * else: it may be wrong.
 */
export class Horizon {
  #newestMs: number;
  #shownAtMs: number;
  #coveredMs: number;

  /** `newestMs`: creation of the newest delivery, shown at `shownAtMs`. `coveredMs`: from where on is to be listed. */
  constructor(newestMs: number, shownAtMs: number, coveredMs = newestMs - lagMs) {
    this.#newestMs = newestMs;
    this.#shownAtMs = shownAtMs;
    this.#coveredMs = coveredMs;
  }

  /** What was created earlier need not be listed again. */
  get coveredMs(): number {
    return this.#coveredMs;
  }

  /** A delivery was shown that was created then. */
  shown(createdMs: number, nowMs: number): void {
    if (createdMs <= this.#newestMs + (nowMs - this.#shownAtMs)) return;
    this.#newestMs = createdMs;
    this.#shownAtMs = nowMs;
  }

  /** All that was created before `untilMs` was listed, from a request on that began at `askedAtMs`. */
  listed(untilMs: number, askedAtMs: number): void {
    const relayMs = this.#newestMs + (askedAtMs - this.#shownAtMs);
    this.#coveredMs = Math.max(this.#coveredMs, Math.min(untilMs, relayMs - lagMs));
  }
}

/**
 * A list may miss what was created within the last second, and the functions' clocks differ by less than another: so
 * much is listed again.
 */
export const lagMs = 3_000;
