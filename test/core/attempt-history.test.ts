import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstKept, keepAttempts, lastKept } from "../../functions/core/attempt-history.js";
import type { Attempt } from "../../functions/core/model.js";

const anAttempt = (number: number): Attempt => ({
  number,
  startedAtMs: number,
  delaySeconds: 0,
  outcome: "retryable",
  statusCode: 503,
  error: null,
  durationMs: 1,
  retryAfterSeconds: null,
  preview: "b29wcw==",
});

const historyOf = (count: number) => {
  let history: ReturnType<typeof keepAttempts> = { attempts: [], attemptsDropped: 0 };
  for (let number = 1; number <= count; number++) history = keepAttempts(history, anAttempt(number));
  return history;
};

describe("keepAttempts", () => {
  it("keeps every attempt while there are at most a hundred", () => {
    expect(historyOf(100)).toMatchObject({ attemptsDropped: 0, attempts: { length: 100 } });
  });

  it("drops the middle beyond that, and counts it", () => {
    const { attempts, attemptsDropped } = historyOf(103);
    expect(attemptsDropped).toBe(3);
    expect(attempts.map((attempt) => attempt.number).slice(0, 7)).toEqual([1, 2, 3, 4, 5, 9, 10]);
    expect(attempts.at(-1)?.number).toBe(103);
  });

  it("keeps the previews of the first and the last three", () => {
    const { attempts } = historyOf(10);
    expect(attempts.filter((attempt) => attempt.preview).map((attempt) => attempt.number)).toEqual([1, 8, 9, 10]);
  });

  it("accounts for every attempt, in order", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), (count) => {
        const { attempts, attemptsDropped } = historyOf(count);
        const numbers = attempts.map((attempt) => attempt.number);
        expect(attempts.length + attemptsDropped).toBe(count);
        expect(attempts.length).toBeLessThanOrEqual(firstKept + lastKept);
        expect([...numbers].sort((a, b) => a - b)).toEqual(numbers);
        expect([numbers[0], numbers.at(-1)]).toEqual([1, count]);
      }),
      { numRuns: 30 },
    );
  });
});
