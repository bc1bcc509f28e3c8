import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OutcomeCounts, Pace } from "../../functions/core/model.js";
import { firstPerSecond, mostPerSecond, nextPace, startPace } from "../../functions/core/release-pace.js";
import { seededRandom } from "../support/virtual-clock.js";

const counts = (attempts: number, failures: number): OutcomeCounts => ({
  inARow: 0,
  failures,
  attempts,
  minute: 0,
  minuteAttempts: 0,
  minuteFailures: 0,
});

/** The paces of the ticks of a release to a destination that takes `limit` a second beside `others` new events. */
function paces(limit: number, ticks: number, { others = 0, from = startPace(undefined, undefined) } = {}): Pace[] {
  const seen: Pace[] = [from];
  let [attempts, failures] = [0, 0];
  for (let tick = 1; tick < ticks; tick++) {
    const pace = seen.at(-1) as Pace;
    const offered = Math.floor(pace.perSecond) + others;
    attempts += offered;
    failures += Math.max(0, offered - limit);
    seen.push(nextPace(pace, counts(attempts, failures)));
  }
  return seen;
}

const perSecond = (each: Pace) => each.perSecond;

describe("the pace of a release", () => {
  it("begins slowly and grows by half while nothing is refused, up to what a tick can send", () => {
    const found = paces(Number.POSITIVE_INFINITY, 15).map(perSecond);
    expect(found.slice(0, 4)).toEqual([10, 15, 22.5, 33.75]);
    expect(found.slice(-2)).toEqual([mostPerSecond, mostPerSecond]);
  });

  it.each([20, 100, 500])(
    "comes to what the destination takes, and hardly any of it is refused: %i a second",
    (limit) => {
      const settled = paces(limit, 300).slice(100).map(perSecond);
      const mean = settled.reduce((sum, each) => sum + Math.min(each, limit), 0) / settled.length;
      expect(mean).toBeGreaterThan(limit * 0.85);
      const refused = settled.reduce((sum, each) => sum + Math.max(0, Math.floor(each) - limit), 0);
      expect(refused / settled.reduce((sum, each) => sum + each, 0)).toBeLessThan(0.06);
    },
  );

  it("leaves new events their share", () => {
    const settled = paces(100, 300, { others: 60 }).slice(100).map(perSecond);
    expect(Math.max(...settled)).toBeLessThan(60);
    expect(settled.reduce((sum, each) => sum + each, 0) / settled.length).toBeGreaterThan(30);
  });

  it("is halved when much is refused, and never ends", () => {
    const dead = paces(0, 30).map(perSecond);
    expect(dead.slice(0, 4)).toEqual([10, 5, 2.5, 1.25]);
    expect(dead.at(-1)).toBe(1);
  });

  it("begins the next time at half of what it came to, and no lower than the first time", () => {
    const last = { ...startPace(undefined, undefined), perSecond: 300 };
    expect(startPace(last, counts(7, 3))).toEqual({
      perSecond: 150,
      isSearching: true,
      attemptsSeen: 7,
      failuresSeen: 3,
    });
    expect(startPace({ ...last, perSecond: 1 }, undefined).perSecond).toBe(firstPerSecond);
  });

  it("takes counts that went back for another generation's", () => {
    const pace = { ...startPace(undefined, undefined), attemptsSeen: 500, failuresSeen: 100 };
    expect(nextPace(pace, counts(10, 10)).perSecond).toBe(5);
    expect(nextPace(pace, undefined).perSecond).toBe(15);
  });

  it("is always between one a second and the most, and never reads the same failures twice", () => {
    const outcomes = fc.array(fc.tuple(fc.nat(2_000), fc.nat(2_000)), { maxLength: 100 });
    fc.assert(
      fc.property(outcomes, (steps) => {
        let pace = startPace(undefined, undefined);
        let [attempts, failures] = [0, 0];
        for (const [made, failed] of steps) {
          attempts += made;
          failures += Math.min(made, failed);
          pace = nextPace(pace, counts(attempts, failures));
          expect(pace.perSecond).toBeGreaterThanOrEqual(1);
          expect(pace.perSecond).toBeLessThanOrEqual(mostPerSecond);
          expect(nextPace(pace, counts(attempts, failures)).perSecond).toBeGreaterThanOrEqual(pace.perSecond);
        }
      }),
    );
  });

  it("is not stopped by a destination that fails now and then at any pace", () => {
    const random = seededRandom(7);
    let pace = startPace(undefined, undefined);
    let [attempts, failures, sent] = [0, 0, 0];
    for (let tick = 0; tick < 600; tick++) {
      const made = Math.floor(pace.perSecond);
      sent += made;
      attempts += made;
      for (let index = 0; index < made; index++) if (random() < 0.01) failures++;
      pace = nextPace(pace, counts(attempts, failures));
    }
    expect(sent).toBeGreaterThan(600 * firstPerSecond);
  });
});
