import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRetryAfter } from "../../functions/core/retry-after.js";

/** Sunday, 6 November 1994, 08:49:37 GMT is the RFC's own example. */
const exampleMs = Date.UTC(1994, 10, 6, 8, 49, 37);
const nowMs = Date.UTC(2026, 9, 21, 7, 26);

describe("Retry-After in seconds", () => {
  it("reads whole seconds", () => {
    expect(parseRetryAfter("120", nowMs)).toBe(120);
  });

  it("ignores the white space that HTTP allows around a value", () => {
    expect(parseRetryAfter(" \t120 ", nowMs)).toBe(120);
  });

  it.each(["9999999999", "99999999999999999999", "9".repeat(400)])("stays finite for the huge value %s", (text) => {
    const seconds = parseRetryAfter(text, nowMs);
    expect(seconds).toBeGreaterThan(86_400);
    expect(Number.isSafeInteger(seconds)).toBe(true);
  });

  it.each(["0", "000", "-1"])("takes %s as absent: never at once after a refusal", (text) => {
    expect(parseRetryAfter(text, nowMs)).toBeNull();
  });
});

describe("Retry-After as an HTTP date", () => {
  it.each([
    ["IMF-fixdate", "Sun, 06 Nov 1994 08:49:37 GMT"],
    ["RFC 850", "Sunday, 06-Nov-94 08:49:37 GMT"],
    ["asctime", "Sun Nov  6 08:49:37 1994"],
  ])("reads %s", (_, text) => {
    expect(parseRetryAfter(text, exampleMs - 90_000)).toBe(90);
  });

  it("reads an asctime date with a two-digit day", () => {
    expect(parseRetryAfter("Wed Oct 21 07:28:00 2026", nowMs)).toBe(120);
  });

  it("keeps the fraction of a second up to the date", () => {
    expect(parseRetryAfter("Wed, 21 Oct 2026 07:28:00 GMT", nowMs + 250)).toBe(119.75);
  });

  it("takes a date in the past, even by a second, as absent", () => {
    expect(parseRetryAfter("Wed, 21 Oct 2015 07:28:00 GMT", nowMs)).toBeNull();
    expect(parseRetryAfter("Wed, 21 Oct 2026 07:25:59 GMT", nowMs)).toBeNull();
    expect(parseRetryAfter("Wed, 21 Oct 2026 07:26:00 GMT", nowMs)).toBeNull();
  });

  it("reads a date in the year 9999", () => {
    expect(parseRetryAfter("Fri, 31 Dec 9999 23:59:59 GMT", nowMs)).toBeGreaterThan(10 ** 11);
  });

  it("takes a two-digit year as at most 50 years ahead", () => {
    expect(parseRetryAfter("Tuesday, 20-Oct-76 07:26:00 GMT", nowMs)).toBeGreaterThan(49 * 365 * 86_400);
    expect(parseRetryAfter("Tuesday, 20-Oct-77 07:26:00 GMT", nowMs)).toBeNull();
  });

  it("takes a two-digit year across the turn of a century as the next one's", () => {
    const newYearsEve = Date.UTC(2099, 11, 31, 23, 59);
    expect(parseRetryAfter("Friday, 01-Jan-00 00:00:00 GMT", newYearsEve)).toBe(60);
  });

  it("reads a date whose weekday is wrong: the rest still says when", () => {
    expect(parseRetryAfter("Mon, 21 Oct 2026 07:28:00 GMT", nowMs)).toBe(120);
  });

  it("reads a leap second as the next minute", () => {
    expect(parseRetryAfter("Wed, 21 Oct 2026 07:27:60 GMT", nowMs)).toBe(120);
  });

  it.each([
    "Wed, 31 Feb 2099 07:28:00 GMT",
    "Thu, 29 Feb 2099 07:28:00 GMT",
    "Wed, 00 Jan 2099 07:28:00 GMT",
    "Wed, 31 Apr 2099 07:28:00 GMT",
    "Wed, 21 Oct 2099 24:00:00 GMT",
    "Wed, 21 Oct 2099 07:60:00 GMT",
    "Wed, 21 Oct 2099 07:28:61 GMT",
  ])("refuses the impossible date %s instead of rolling it over", (text) => {
    expect(parseRetryAfter(text, nowMs)).toBeNull();
  });

  it("reads 29 February in a leap year", () => {
    expect(parseRetryAfter("Sun, 29 Feb 2096 07:28:00 GMT", nowMs)).toBeGreaterThan(0);
  });

  it("reads back every future second that it is given", () => {
    const seconds = fc.integer({ min: 1, max: 50 * 365 * 86_400 });
    fc.assert(
      fc.property(seconds, (ahead) => {
        expect(parseRetryAfter(new Date(nowMs + ahead * 1000).toUTCString(), nowMs)).toBe(ahead);
      }),
    );
  });
});

describe("anything else in Retry-After", () => {
  it.each([
    "soon",
    "1000abc",
    "NaN",
    "Infinity",
    "1e3",
    "0x10",
    "",
    "120, 60",
    "1.5",
    "+5",
    "１２０",
    "2026-10-21T07:28:00Z",
    "Wed, 21 Oct 2099 07:28:00",
    "Wed, 21 Oct 2099 07:28:00 UTC",
    "Wed, 21 Oct 2099 07:28:00 +0000",
    "wed, 21 oct 2099 07:28:00 gmt",
    "Wed, 1 Oct 2099 07:28:00 GMT",
    "Wed, 21 Foo 2099 07:28:00 GMT",
  ])("counts as absent: %j", (text) => {
    expect(parseRetryAfter(text, nowMs)).toBeNull();
  });

  it("never throws, and yields seconds above zero or nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const seconds = parseRetryAfter(text, nowMs);
        expect(seconds === null || (seconds > 0 && Number.isFinite(seconds))).toBe(true);
      }),
    );
  });
});
