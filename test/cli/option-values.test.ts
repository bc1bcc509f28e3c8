import { describe, expect, it } from "vitest";
import * as values from "../../cli/option-values.js";

describe("values of options", () => {
  it.each([
    ["90", 90],
    ["0.5", 0.5],
    ["30s", 30],
    ["5m", 300],
    ["2h", 7_200],
    ["1d", 86_400],
  ])("the duration %s is %d seconds", (text, seconds) => expect(values.seconds(text)).toBe(seconds));

  it.each(["", "5 m", "-1", "1w", "m", "1e3"])("%j is no duration", (text) => {
    expect(() => values.seconds(text)).toThrow(/such as 90, 30s/);
  });

  it("a schedule is a kind with its delays", () => {
    expect(values.schedule("fixed:30")).toEqual({ kind: "fixed", baseSeconds: 30 });
    expect(values.schedule("table:1m,5m,1h")).toEqual({ kind: "table", delaysSeconds: [60, 300, 3_600] });
    for (const wrong of ["30", "fixed", "fixed:x", "cubic:3", "table:"]) {
      expect(() => values.schedule(wrong)).toThrow(/must be/);
    }
  });

  it("a rule is a header or a JSON pointer, the empty one too", () => {
    expect(values.valueRule("header:x-id")).toEqual({ from: "header", name: "x-id" });
    expect(values.valueRule("json:/a/b")).toEqual({ from: "json", pointer: "/a/b" });
    expect(values.valueRule("json:")).toEqual({ from: "json", pointer: "" });
    for (const wrong of ["x-id", "header:", "body:/a"]) expect(() => values.valueRule(wrong)).toThrow(/header:NAME/);
  });

  it("a point in time is a time, or as long before now", () => {
    const nowMs = Date.parse("2026-01-31T12:00:00Z");
    expect(values.pointInTime("2h", nowMs)).toBe("2026-01-31T10:00:00.000Z");
    expect(values.pointInTime("2026-01-31T12:00:00+02:00", nowMs)).toBe("2026-01-31T10:00:00.000Z");
    for (const wrong of ["yesterday", "12", "2026-13-01"]) {
      expect(() => values.pointInTime(wrong, nowMs)).toThrow(/such as 2026/);
    }
  });

  it("none gives a field back its default", () => {
    const parse = values.orNone(values.number);
    expect(values.withNulls({ cap: parse("none"), jitter: parse("3") })).toEqual({ cap: null, jitter: 3 });
  });
});
