import { describe, expect, it } from "vitest";
import { isSlow, slowForMs, slowNoteEndMs } from "../../functions/core/gate.js";

describe("a slow subscription", () => {
  it("is slow until its time is over, and never was one when nothing is noted", () => {
    expect(isSlow({ slowUntilMs: 10 }, 9)).toBe(true);
    expect(isSlow({ slowUntilMs: 10 }, 10)).toBe(false);
    expect(isSlow({}, 0)).toBe(false);
    expect(isSlow(null, 0)).toBe(false);
  });

  it("is noted again from half its time on", () => {
    const notedAtMs = 1_000;
    expect(slowNoteEndMs(notedAtMs + slowForMs)).toBe(notedAtMs + slowForMs / 2);
  });
});
