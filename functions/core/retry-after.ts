import { trimOptionalSpace } from "./header-list.js";

/**
 * `Retry-After` (RFC 9110 §10.2.3): delay-seconds or an HTTP-date (§5.6.7). Anything else counts as absent, so that a
 * destination's typing error never becomes NaN, an early retry or an endless wait.
 */

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const month = `(?<month>${months.join("|")})`;
const shortDay = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const longDay = "(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)";
const time = "(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})";

/** The three forms that a recipient must accept; names are case-sensitive. */
const dateForms = [
  // IMF-fixdate: Sun, 06 Nov 1994 08:49:37 GMT
  new RegExp(`^${shortDay}, (?<day>\\d{2}) ${month} (?<year>\\d{4}) ${time} GMT$`),
  // RFC 850: Sunday, 06-Nov-94 08:49:37 GMT
  new RegExp(`^${longDay}, (?<day>\\d{2})-${month}-(?<year>\\d{2}) ${time} GMT$`),
  // asctime: Sun Nov  6 08:49:37 1994
  new RegExp(`^${shortDay} ${month} (?<day>\\d{2}| \\d) ${time} (?<year>\\d{4})$`),
];

/**
 * Seconds from `nowMs` until the destination wants to be asked again, always > 0 and finite; whole for delay-seconds,
 * with milliseconds for dates. Null when the text is invalid, zero or in the past. Not capped: the policy does that.
 */
export function parseRetryAfter(text: string, nowMs: number): number | null {
  const value = trimOptionalSpace(text);
  // Hundreds of digits would be Infinity.
  const seconds = /^[0-9]+$/.test(value)
    ? Math.min(Number(value), Number.MAX_SAFE_INTEGER)
    : secondsUntil(value, nowMs);
  return seconds !== null && seconds > 0 ? seconds : null;
}

function secondsUntil(value: string, nowMs: number): number | null {
  for (const form of dateForms) {
    const groups = form.exec(value)?.groups;
    if (groups !== undefined) {
      const atMs = instantMs(groups, nowMs);
      return atMs === null ? null : (atMs - nowMs) / 1000;
    }
  }
  return null;
}

/**
 * The instant that the parts name; null for one that does not exist, such as 31 February (`Date.UTC` would roll over
 * to March). The weekday is redundant and not compared: a sender that got only that wrong still said when. Second 60 is
 * a leap second (§5.6.7) and counts as the next minute's first.
 */
function instantMs(parts: Record<string, string | undefined>, nowMs: number): number | null {
  const [day, hour, minute, second] = ["day", "hour", "minute", "second"].map((name) => Number(parts[name]));
  if (day === undefined || hour === undefined || minute === undefined || second === undefined) return null;
  if (hour > 23 || minute > 59 || second > 60) return null;
  const monthIndex = months.indexOf(parts["month"] ?? "");
  const toMs = (year: number) => Date.UTC(year, monthIndex, day, hour, minute, second);
  const year = fullYear(parts["year"] ?? "", toMs, nowMs);
  const date = new Date(Date.UTC(year, monthIndex, day));
  return date.getUTCMonth() === monthIndex && date.getUTCDate() === day ? toMs(year) : null;
}

/**
 * A two-digit year is the latest one that is not more than 50 years in the future (RFC 9110 §5.6.7): near the end of a
 * century, "00" is the next one's.
 */
function fullYear(digits: string, toMs: (year: number) => number, nowMs: number): number {
  if (digits.length === 4) return Number(digits);
  const thisYear = new Date(nowMs).getUTCFullYear();
  const fiftyYearsOnMs = new Date(nowMs).setUTCFullYear(thisYear + 50);
  const inThisCentury = thisYear - (thisYear % 100) + Number(digits);
  const latest = [inThisCentury + 100, inThisCentury].find((year) => toMs(year) <= fiftyYearsOnMs);
  return latest ?? inThisCentury - 100;
}
