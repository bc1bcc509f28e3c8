import { describe, expect, it } from "vitest";
import { bothTimes, counted, duration, printable, printableJson, relativeTime } from "../../cli/text.js";

const nowMs = Date.parse("2026-01-31T12:00:00.000Z");

describe("times", () => {
  it.each([
    [0, "0s"],
    [0.25, "250ms"],
    [41, "41s"],
    [300, "5m"],
    [12_000, "3h 20m"],
    [187_200, "2d 4h"],
  ])("%d seconds are %s", (seconds, text) => expect(duration(seconds)).toBe(text));

  it("are relative to now, and absolute as --since takes them", () => {
    expect(relativeTime("2026-01-31T11:57:00.000Z", nowMs)).toBe("3m ago");
    expect(relativeTime("2026-01-31T12:00:20.000Z", nowMs)).toBe("in 20s");
    expect(relativeTime("2026-01-31T12:00:00.200Z", nowMs)).toBe("now");
    expect(bothTimes("2026-01-31T11:57:00.000Z", nowMs)).toBe("2026-01-31T11:57:00Z (3m ago)");
  });
});

describe("text of others", () => {
  it("cannot command the terminal", () => {
    expect(printable("\u001b[2Jgone\u009b1m\u202e\r\n")).toBe("\\u{1b}[2Jgone\\u{9b}1m\\u{202e}\\u{d}\\u{a}");
  });

  it("keeps its lines where it is shown as lines", () => {
    expect(printable("a\n\tb\u0007", { lines: true })).toBe("a\n\tb\\u{7}");
  });

  it("is the same text after it was printed as JSON, without a character that commands", () => {
    const value = { "k\u009b": ["\u001b[2J\n\u202e\u2028", "\u{e0001}\u{1f469}\u200d\u{1f680}"] };
    const json = printableJson(value);
    expect(JSON.parse(json)).toEqual(value);
    expect(json.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
  });

  it("is counted in words", () => {
    expect([0, 1, 2].map((count) => counted(count, "delivery", "deliveries"))).toEqual([
      "0 deliveries",
      "1 delivery",
      "2 deliveries",
    ]);
  });
});
