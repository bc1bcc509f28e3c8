import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CircuitSettings } from "../../functions/core/model.js";
import {
  type CircuitSign,
  countedWith,
  failsByRate,
  inARow,
  isTooManyInARow,
  isWorthWriting,
  newTally,
  type OutcomeTally,
  tallied,
  written,
} from "../../functions/core/outcome-tally.js";
import { presetCircuit } from "../../functions/core/presets.js";

const settings: CircuitSettings = presetCircuit("default");
const startMs = 1_000_000_000;

/** A tally after these outcomes (`s` a success, `f` a failure), one every `everyMs`. */
function outcomesOf(outcomes: string, everyMs = 0, from: OutcomeTally = newTally(1, undefined, startMs)): OutcomeTally {
  return [...outcomes].reduce(
    (tally, outcome, index) => tallied(tally, outcome === "s" ? "success" : "failure", startMs + index * everyMs),
    from,
  );
}

const counts = (given: object) => ({
  inARow: 0,
  failures: 0,
  attempts: 0,
  minute: Math.floor(startMs / 60_000),
  minuteAttempts: 0,
  minuteFailures: 0,
  ...given,
});

describe("failures in a row", () => {
  it.each([
    ["", 0],
    ["fff", 3],
    ["fffs", 0],
    ["fffsf", 1],
    ["sff", 2],
  ])("are counted per attempt, and a success starts anew: %s", (outcomes, expected) => {
    expect(inARow(outcomesOf(outcomes))).toBe(expected);
  });

  it("include those that the gate knows of, until a success", () => {
    const tally = newTally(1, counts({ inARow: 4 }), startMs);
    expect(inARow(outcomesOf("f", 0, tally))).toBe(5);
    expect(inARow(outcomesOf("fsf", 0, tally))).toBe(1);
  });

  it("never are more than the failures since the last success, whatever came in which order and was told when", () => {
    const step = fc.constantFrom<CircuitSign | "write">("success", "failure", "write");
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let tally = newTally(1, undefined, startMs);
        let gate = counts({});
        let expected = 0;
        for (const each of steps) {
          if (each === "write") {
            gate = countedWith(gate, tally, startMs);
            tally = written(tally, gate.inARow, startMs);
          } else {
            tally = tallied(tally, each, startMs);
            expected = each === "success" ? 0 : expected + 1;
          }
          expect(inARow(tally)).toBe(expected);
        }
      }),
    );
  });
});

describe("the gate", () => {
  it("is told of a failure at once, and then once a second at the most", () => {
    const first = outcomesOf("f");
    expect(isWorthWriting(first, settings, startMs)).toBe(true);
    const told = written(first, 1, startMs);
    const second = tallied(told, "failure", startMs + 999);
    expect(isWorthWriting(second, settings, startMs + 999)).toBe(false);
    expect(isWorthWriting(second, settings, startMs + 1_000)).toBe(true);
  });

  it("is told at once of the failure that opens the circuit", () => {
    const told = written(outcomesOf("f"), 1, startMs);
    expect(isWorthWriting(outcomesOf("fff", 0, told), settings, startMs)).toBe(false);
    expect(isWorthWriting(outcomesOf("ffff", 0, told), settings, startMs)).toBe(true);
  });

  it("is never told of successes alone, but of the one that ends a count", () => {
    expect(isWorthWriting(outcomesOf("s".repeat(1_000)), settings, startMs)).toBe(false);
    const known = newTally(1, counts({ inARow: 2 }), startMs);
    expect(isWorthWriting(outcomesOf("s", 0, known), settings, startMs)).toBe(true);
    expect(isWorthWriting(written(outcomesOf("s", 0, known), 0, startMs), settings, startMs + 5_000)).toBe(false);
  });

  it("is told again when the clock was set back", () => {
    const told = written(outcomesOf("f"), 1, startMs);
    expect(isWorthWriting(tallied(told, "failure", startMs - 60_000), settings, startMs - 60_000)).toBe(true);
  });

  it("never hears more than once a second of one environment, but for what opens the circuit", () => {
    const outcome = fc.tuple(fc.constantFrom<CircuitSign>("success", "failure"), fc.integer({ min: 0, max: 400 }));
    fc.assert(
      fc.property(fc.array(outcome, { maxLength: 200 }), (outcomes) => {
        let tally = newTally(1, undefined, startMs);
        let nowMs = startMs;
        let toldAtMs = Number.NEGATIVE_INFINITY;
        for (const [sign, passedMs] of outcomes) {
          nowMs += passedMs;
          tally = tallied(tally, sign, nowMs);
          if (!isWorthWriting(tally, settings, nowMs)) continue;
          const opens = isTooManyInARow(inARow(tally), tally, settings, nowMs);
          expect(nowMs - toldAtMs >= 1_000 || opens).toBe(true);
          toldAtMs = nowMs;
          tally = written(tally, inARow(tally), nowMs);
        }
      }),
    );
  });
});

describe("what the gate counts", () => {
  it("adds up within a minute, and begins anew in the next one but for the row and the sums", () => {
    const first = countedWith(undefined, outcomesOf("ffsf"), startMs);
    expect(first).toMatchObject({ inARow: 1, failures: 3, attempts: 4, minuteAttempts: 4, minuteFailures: 3 });
    const second = countedWith(first, outcomesOf("ff"), startMs);
    expect(second).toMatchObject({ inARow: 3, failures: 5, attempts: 6, minuteAttempts: 6, minuteFailures: 5 });
    const nextMinute = countedWith(second, outcomesOf("f"), startMs + 60_000);
    expect(nextMinute).toMatchObject({ inARow: 4, failures: 6, attempts: 7, minuteAttempts: 1, minuteFailures: 1 });
  });

  it("leaves out successes that were gathered for longer than a minute, and never a failure", () => {
    const old = tallied(outcomesOf("sss"), "failure", startMs + 60_000);
    expect([old.attempts, old.failures]).toEqual([1, 1]);
    const failedBefore = tallied(outcomesOf("ssf"), "failure", startMs + 60_000);
    expect([failedBefore.attempts, failedBefore.failures]).toEqual([4, 2]);
  });
});

describe("the threshold", () => {
  it("opens at so many in a row", () => {
    expect(isTooManyInARow(4, outcomesOf("ffff"), settings, startMs)).toBe(false);
    expect(isTooManyInARow(5, outcomesOf("fffff"), settings, startMs)).toBe(true);
  });

  it("is no fewer than the successes of this second and the one before: a full destination is no dead one", () => {
    const busy = outcomesOf("s".repeat(40), 0);
    expect(isTooManyInARow(39, busy, settings, startMs)).toBe(false);
    expect(isTooManyInARow(40, busy, settings, startMs)).toBe(true);
    const nextSecond = tallied(busy, "success", startMs + 1_000);
    expect(isTooManyInARow(40, nextSecond, settings, startMs + 1_000)).toBe(false);
    expect(isTooManyInARow(41, nextSecond, settings, startMs + 1_000)).toBe(true);
  });

  it("is itself again once the successes are two seconds old", () => {
    const busy = outcomesOf("s".repeat(40));
    expect(isTooManyInARow(5, busy, settings, startMs + 1_999)).toBe(false);
    expect(isTooManyInARow(5, busy, settings, startMs + 2_000)).toBe(true);
  });

  it("never opens on fewer than it says, and always where nothing succeeds", () => {
    const given = fc.record({
      failureThreshold: fc.integer({ min: 1, max: 50 }),
      row: fc.integer({ min: 0, max: 60 }),
    });
    fc.assert(
      fc.property(given, fc.integer({ min: 0, max: 30 }), ({ failureThreshold, row }, successes) => {
        const circuit = { ...settings, failureThreshold };
        const quiet = isTooManyInARow(row, newTally(1, undefined, startMs), circuit, startMs);
        expect(quiet).toBe(row >= failureThreshold);
        const busy = isTooManyInARow(row, outcomesOf("s".repeat(successes)), circuit, startMs);
        if (busy) expect(quiet).toBe(true);
      }),
    );
  });
});

describe("a failure rate", () => {
  const rate = { ...settings, failureRate: 0.5, minimumAttempts: 10 };

  it.each([
    [10, 5, true],
    [10, 4, false],
    [9, 9, false],
    [1_000, 500, true],
  ])("opens from its share of a minute that has the attempts for it: %i attempts, %i failures", (a, f, expected) => {
    expect(failsByRate(counts({ minuteAttempts: a, minuteFailures: f }), rate)).toBe(expected);
  });

  it("is none where none is given", () => {
    expect(failsByRate(counts({ minuteAttempts: 100, minuteFailures: 100 }), settings)).toBe(false);
  });
});
