import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { freeSlots, isBooked, longestSlotWaitMs, slotIntervalMs, usableSlots } from "../../functions/core/rate.js";

const nowMs = 1_000_000;

describe("slots", () => {
  it("are one interval apart", () => {
    // A little less than the limit: what comes late must not exceed it.
    expect([slotIntervalMs(20), slotIntervalMs(0.1)].map(Math.round)).toEqual([53, 10_526]);
  });

  it("are booked when the next one is further away than a message can wait", () => {
    expect(isBooked({}, nowMs)).toBe(false);
    expect(isBooked({ nextFreeAtMs: nowMs + longestSlotWaitMs }, nowMs)).toBe(false);
    expect(isBooked({ nextFreeAtMs: nowMs + longestSlotWaitMs + 1 }, nowMs)).toBe(true);
  });

  it.each([
    [20, undefined, 19],
    [20, nowMs - 3_600_000, 19],
    [20, nowMs + 500, 10],
    [20, nowMs + 1_000, 0],
    [20, nowMs + 60_000, 0],
    [0.1, undefined, 1],
    [4, undefined, 4],
    [0.1, nowMs + 10_000, 0],
  ])("are free within the next second as far as nobody took them: %d a second", (maxPerSecond, nextFreeAtMs, free) => {
    expect(freeSlots(nextFreeAtMs === undefined ? {} : { nextFreeAtMs }, maxPerSecond, nowMs)).toBe(free);
  });

  it("are used as far as anybody waits for them", () => {
    expect(usableSlots(5, nowMs, 100, nowMs)).toBe(5);
    expect(usableSlots(5, nowMs, 450_000, nowMs)).toBe(3);
    expect(usableSlots(5, nowMs + longestSlotWaitMs, 100, nowMs)).toBe(1);
    expect(usableSlots(5, nowMs + longestSlotWaitMs + 1, 100, nowMs)).toBe(0);
  });

  it("are never more than a second has, or one, and never fewer than none", () => {
    const rate = fc.double({ min: 0.01, max: 1_000, noNaN: true });
    fc.assert(
      fc.property(rate, fc.integer({ min: -100_000, max: 1_000_000 }), (maxPerSecond, aheadMs) => {
        const free = freeSlots({ nextFreeAtMs: nowMs + aheadMs }, maxPerSecond, nowMs);
        expect(free).toBeGreaterThanOrEqual(0);
        expect(free).toBeLessThanOrEqual(Math.max(1, Math.ceil(maxPerSecond)));
      }),
    );
  });
});
