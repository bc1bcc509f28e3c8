import { localTimeAt, momentOf } from "./zone.js";

/** The values that each of the six fields allows; null: any. */
export interface Cron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: ReadonlySet<number> | null;
  readonly months: ReadonlySet<number>;
  /** 1 = Sunday. */
  readonly weekdays: ReadonlySet<number> | null;
  readonly years: ReadonlySet<number>;
}

const monthNames = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const weekdayNames = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
/** How far ahead a next time is looked for; a rarer one than this is never. */
const horizonDays = 366 * 30;

/**
 * Reads `minutes hours day-of-month month day-of-week year`: numbers, names, `*`, `?`, lists, ranges and steps. Not
 * `L`, `W` and `#`. Null when it is wrong.
 */
export function parseCron(text: string): Cron | null {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== 6) return null;
  const [minutes, hours, days, months, weekdays, years] = fields as [string, string, string, string, string, string];
  // One of the two day fields must be left open.
  if ((days === "?") === (weekdays === "?")) return null;
  const parsed = {
    minutes: parseField(minutes, 0, 59),
    hours: parseField(hours, 0, 23),
    days: days === "?" ? null : parseField(days, 1, 31),
    months: parseField(months, 1, 12, monthNames),
    weekdays: weekdays === "?" ? null : parseField(weekdays, 1, 7, weekdayNames),
    years: parseField(years, 1970, 2199),
  };
  if (Object.values(parsed).some((field) => field !== null && field.size === 0)) return null;
  return { ...parsed, minutes: [...parsed.minutes].sort(byValue), hours: [...parsed.hours].sort(byValue) };
}

/** The first matching moment after `afterMs`; null when there is none. */
export function nextCronTime(cron: Cron, zone: string, afterMs: number): number | null {
  const start = localTimeAt(afterMs, zone);
  for (let offset = 0; offset < horizonDays; offset += 1) {
    const date = new Date(Date.UTC(start.year, start.month - 1, start.day + offset));
    if (!matchesDate(cron, date)) continue;
    for (const hour of cron.hours) {
      for (const minute of cron.minutes) {
        const moment = momentOf({ ...dateOf(date), hour, minute, second: 0 }, zone);
        if (moment > afterMs) return moment;
      }
    }
  }
  return null;
}

const byValue = (a: number, b: number): number => a - b;

const dateOf = (date: Date): { year: number; month: number; day: number } => ({
  year: date.getUTCFullYear(),
  month: date.getUTCMonth() + 1,
  day: date.getUTCDate(),
});

function matchesDate(cron: Cron, date: Date): boolean {
  const { year, month, day } = dateOf(date);
  const dayMatches = cron.days?.has(day) ?? cron.weekdays?.has(date.getUTCDay() + 1) ?? false;
  return dayMatches && cron.months.has(month) && cron.years.has(year);
}

/** Empty when the field is wrong. */
function parseField(field: string, min: number, max: number, names: readonly string[] = []): Set<number> {
  const values = new Set<number>();
  for (const part of field.split(",")) {
    const match = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(part);
    if (match === null) return new Set();
    const [, from = "", to, step] = match;
    const low = from === "*" ? min : numberOf(from, min, names);
    // "5/10" starts at 5 and goes on to the end.
    const high = to !== undefined ? numberOf(to, min, names) : from === "*" || step !== undefined ? max : low;
    const stride = Number(step ?? 1);
    if (!(low >= min && high <= max && low <= high && stride >= 1)) return new Set();
    for (let value = low; value <= high; value += stride) values.add(value);
  }
  return values;
}

function numberOf(text: string, min: number, names: readonly string[]): number {
  const index = names.indexOf(text.toUpperCase());
  if (index >= 0) return index + min;
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}
