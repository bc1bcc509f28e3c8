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

  it.each([
    [values.amount, "5M", 5_000_000],
    [values.amount, "1.5k", 1_500],
    [values.amount, "12", 12],
    [values.byteSize, "300", 300],
    [values.byteSize, "3KB", 3_072],
    [values.byteSize, "1.5mb", 1_572_864],
    [values.share, "2%", 0.02],
    [values.share, "0.5", 0.5],
    [values.share, "100%", 1],
    [values.milliseconds, "200", 200],
    [values.milliseconds, "1.5s", 1_500],
  ])("%o reads %s as %d", (parse, text, value) => expect(parse(text)).toBe(value));

  it.each([
    [values.amount, "5 M", /such as 5000000/],
    [values.amount, "5G", /such as 5000000/],
    [values.byteSize, "3GB", /such as 300/],
    [values.byteSize, "KB", /such as 300/],
    [values.share, "2", /such as 2%/],
    [values.share, "101%", /such as 2%/],
    [values.share, "-1%", /such as 2%/],
    [values.milliseconds, "2m", /such as 200ms/],
  ])("%o refuses %j", (parse, text, message) => expect(() => parse(text)).toThrow(message));

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
