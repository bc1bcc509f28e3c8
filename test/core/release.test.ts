import { describe, expect, it } from "vitest";
import {
  afterPage,
  afterPass,
  continuedRelease,
  keepsLastAttempt,
  mayBeBehind,
  mostStillParked,
  nextPageAtMs,
  pageSize,
} from "../../functions/core/release.js";
import { aGate, aRelease } from "../support/builders.js";

const nowMs = 1_000_000;
const tick = (dueAtMs: number) => ({ seq: 1, generation: 0, dueAtMs, by: null });

describe("a release", () => {
  it("that goes on keeps its place, and moves its pace", () => {
    const release = aRelease(1, { after: "b", from: "a", sent: 3, released: 9 });
    expect(continuedRelease(aGate({ release }), nowMs)).toEqual({
      ...release,
      pace: { ...release.pace, perSecond: 15 },
    });
  });

  it("begins anew where there is none, or the last one has ended", () => {
    expect(continuedRelease(aGate(), nowMs)).toEqual(aRelease(nowMs));
    const release = aRelease(1, { after: "b", released: 9, lastPass: true, endedAtMs: 5 });
    expect(continuedRelease(aGate({ release }), nowMs)).toEqual(aRelease(nowMs));
  });

  it("remembers the last page's ends, for the tick that has to repeat it", () => {
    const first = afterPage(aRelease(1), { last: "a", size: 10, letGo: 8, sentAtOnce: 7 });
    expect(first).toMatchObject({ from: null, after: "a", sent: 10, released: 8, page: { sentAtOnce: 7, others: 3 } });
    const second = afterPage(first, { last: "b", size: 5, letGo: 5, sentAtOnce: 5 });
    expect(second).toMatchObject({ from: "a", after: "b", sent: 15, released: 13 });
  });

  it("has a second pass, also after one that found none: the index may have been late; and no third", () => {
    const begun = aRelease(1, { after: "b", from: "a", sent: 3, released: 9, page: { sentAtOnce: 3, others: 0 } });
    const second = afterPass(aGate({ holdsParked: true }), begun, nowMs, "tick");
    expect(second).toMatchObject({ holdsParked: true, tick: { dueAtMs: nowMs + 30_000, by: "tick" } });
    expect(second.release).toEqual(aRelease(1, { after: null, from: null, sent: 0, released: 9, lastPass: true }));
    expect(afterPass(aGate(), aRelease(1), nowMs).release).toMatchObject({ lastPass: true });
    const found = afterPass(aGate({ holdsParked: true }), aRelease(1, { sent: 3, lastPass: true }), nowMs);
    expect(found).toMatchObject({ release: { endedAtMs: nowMs }, tick: { dueAtMs: null }, holdsParked: true });
    const foundNone = afterPass(aGate({ holdsParked: true }), aRelease(1, { lastPass: true }), nowMs);
    expect(foundNone).toMatchObject({ release: { endedAtMs: nowMs }, holdsParked: false });
  });
});

describe("a queue that is behind", () => {
  const release = (perSecond: number) =>
    aRelease(1, { page: { sentAtOnce: 11, others: 2 }, pace: { ...aRelease(1).pace, perSecond } });

  it("is looked for above the first pace, where no slots tell, and after a page of some size", () => {
    expect(mayBeBehind(release(10.1), null)).toBe(true);
    expect(mayBeBehind(release(10), null)).toBe(false);
    expect(mayBeBehind(release(100), 50)).toBe(false);
    expect(mayBeBehind(aRelease(1, { pace: release(100).pace }), null)).toBe(false);
    expect(mayBeBehind({ ...release(100), page: { sentAtOnce: 9, others: 0 } }, null)).toBe(false);
  });

  it("has not got to the greater part of what was sent at once", () => {
    expect(mostStillParked(release(100))).toBe(2 + 5);
  });
});

describe("a last attempt", () => {
  const [policy, delivery] = [{ maxAttempts: 5 }, { attemptsStarted: 4 }];

  it("is kept while a release's first pass gives the destination as much as it takes", () => {
    expect(keepsLastAttempt({ release: aRelease(1) }, delivery, policy)).toBe(true);
    expect(keepsLastAttempt({ release: aRelease(1) }, { attemptsStarted: 3 }, policy)).toBe(false);
  });

  it("is made after the rush, and where it is the only one", () => {
    expect(keepsLastAttempt({}, delivery, policy)).toBe(false);
    expect(keepsLastAttempt({ release: aRelease(1, { lastPass: true }) }, delivery, policy)).toBe(false);
    expect(keepsLastAttempt({ release: aRelease(1, { endedAtMs: 2 }) }, delivery, policy)).toBe(false);
    expect(keepsLastAttempt({ release: aRelease(1) }, { attemptsStarted: 0 }, { maxAttempts: 1 })).toBe(false);
  });
});

describe("a page", () => {
  it("is what the pace allows in a second, and a quarter more when the tick is late", () => {
    expect(pageSize(aGate(), aRelease(1), null, nowMs)).toBe(10);
    expect(pageSize(aGate({ tick: tick(nowMs - 200) }), aRelease(1), null, nowMs)).toBe(12);
    expect(pageSize(aGate({ tick: tick(nowMs - 3_600_000) }), aRelease(1), null, nowMs)).toBe(12);
    expect(pageSize(aGate({ tick: tick(nowMs + 900) }), aRelease(1), null, nowMs)).toBe(10);
  });

  it("is never empty for its pace", () => {
    const slow = aRelease(1, { pace: { ...aRelease(1).pace, perSecond: 0.4 } });
    expect(pageSize(aGate(), slow, null, nowMs)).toBe(1);
  });

  it("has no more than there are free slots", () => {
    expect(pageSize(aGate(), aRelease(1), 4, nowMs)).toBe(4);
    expect(pageSize(aGate({ nextFreeAtMs: nowMs + 500 }), aRelease(1), 4, nowMs)).toBe(2);
    expect(pageSize(aGate({ nextFreeAtMs: nowMs + 1_000 }), aRelease(1), 4, nowMs)).toBe(0);
    expect(pageSize(aGate(), aRelease(1), 400, nowMs)).toBe(10);
    expect(pageSize(aGate(), aRelease(1), 0.1, nowMs)).toBe(1);
  });

  it("is followed by the next one in a second, or when there are slots again", () => {
    expect(nextPageAtMs(aGate(), null, nowMs)).toBe(nowMs + 1_000);
    expect(nextPageAtMs(aGate({ nextFreeAtMs: nowMs + 10_000 }), null, nowMs)).toBe(nowMs + 1_000);
    expect(nextPageAtMs(aGate(), 4, nowMs)).toBe(nowMs + 1_000);
    expect(nextPageAtMs(aGate({ nextFreeAtMs: nowMs + 10_000 }), 4, nowMs)).toBe(nowMs + 9_264);
    // Slots that are more than a second apart: the next one, and not the one after it.
    expect(nextPageAtMs(aGate({ nextFreeAtMs: nowMs + 10_000 }), 0.1, nowMs)).toBe(nowMs + 10_000);
    expect(pageSize(aGate({ nextFreeAtMs: nowMs }), aRelease(1), 0.1, nowMs)).toBe(1);
  });
});
