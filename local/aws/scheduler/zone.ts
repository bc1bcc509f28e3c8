/** A wall-clock time, without a zone. */
export interface LocalTime {
  readonly year: number;
  /** 1 … 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Whether `zone` is a time zone that this Node knows (IANA names and `UTC`). */
export function isTimeZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** What clocks in `zone` show at that moment. */
export function localTimeAt(epochMs: number, zone: string): LocalTime {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(epochMs)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
  return { year, month, day, hour, minute, second };
}

/**
 * The moment at which clocks in `zone` show `time`. In the hour that a change to summer time leaves out it is the same
 * time by the offset before the change; in the hour that comes twice it is the first one.
 */
export function momentOf(time: LocalTime, zone: string): number {
  const asUtc = utcOf(time);
  const dayMs = 86_400_000;
  const offsetBefore = offsetAt(asUtc - dayMs, zone);
  const candidate = asUtc - offsetBefore;
  if (offsetAt(candidate, zone) === offsetBefore) return candidate;
  const other = asUtc - offsetAt(asUtc + dayMs, zone);
  return utcOf(localTimeAt(other, zone)) === asUtc ? other : candidate;
}

/** Epoch milliseconds of a wall-clock time in UTC; fields out of range roll over. */
export const utcOf = (time: LocalTime): number =>
  Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second);

function offsetAt(epochMs: number, zone: string): number {
  const wholeSecond = Math.floor(epochMs / 1000) * 1000;
  return utcOf(localTimeAt(wholeSecond, zone)) - wholeSecond;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    const numeric = "numeric";
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      calendar: "gregory",
      hourCycle: "h23",
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    });
    formats.set(zone, format);
  }
  return format;
}
