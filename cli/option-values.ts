import { InvalidArgumentError } from "commander";

/**
 * Values of options, from text. What they throw becomes a usage error that names the option. What only the relay knows
 * (ranges, contradictions) is left to it.
 */

const secondsPerUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Seconds: `90`, `0.5`, `30s`, `5m`, `2h`, `1d`. */
export function seconds(text: string): number {
  const [, amount, unit = "s"] = /^(\d+(?:\.\d+)?)([smhd])?$/.exec(text) ?? [];
  if (amount === undefined) throw new InvalidArgumentError("It must be a duration such as 90, 30s, 5m, 2h or 1d.");
  return Number(amount) * (secondsPerUnit[unit] ?? 1);
}

export function number(text: string): number {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a number.");
}

export function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}

/** Stands for null while commander has the options: it makes an empty text of null. */
const none = Symbol("none");

/** `none` where a field may be given back its default. */
export const orNone =
  <Value>(parse: (text: string) => Value) =>
  (text: string): Value | typeof none =>
    text === "none" ? none : parse(text);

/** Options as commander has them, with null for `none`. */
export const withNulls = <Options extends object>(options: Options): Options =>
  Object.fromEntries(Object.entries(options).map(([name, value]) => [name, value === none ? null : value])) as Options;

/** `5000000`, `500k`, `5M`, `1.5M`. */
export function amount(text: string): number {
  const [, digits, unit = ""] = /^(\d+(?:\.\d+)?)([kM]?)$/.exec(text) ?? [];
  if (digits === undefined) throw new InvalidArgumentError("It must be a number such as 5000000, 500k or 5M.");
  return Math.round(Number(digits) * ({ k: 1_000, M: 1_000_000 }[unit] ?? 1));
}

/** Bytes: `300`, `300B`, `3KB`, `1.5MB`; a KB has 1,024. */
export function byteSize(text: string): number {
  const [, digits, unit = "B"] = /^(\d+(?:\.\d+)?)(B|KB|MB)?$/i.exec(text) ?? [];
  if (digits === undefined) throw new InvalidArgumentError("It must be a size such as 300, 3KB or 1MB.");
  return Math.round(Number(digits) * ({ KB: 1_024, MB: 1_048_576 }[unit.toUpperCase()] ?? 1));
}

/** A share from 0 to 1: `2%`, `0.02`. */
export function share(text: string): number {
  const [, digits, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  const value = Number(digits) / (percent === "%" ? 100 : 1);
  if (digits === undefined || value > 1) throw new InvalidArgumentError("It must be a share such as 2% or 0.02.");
  return value;
}

/** Milliseconds: `200`, `200ms`, `1.5s`. */
export function milliseconds(text: string): number {
  const [, digits, unit = "ms"] = /^(\d+(?:\.\d+)?)(ms|s)?$/.exec(text) ?? [];
  if (digits === undefined) throw new InvalidArgumentError("It must be a duration such as 200ms or 2s.");
  return Number(digits) * (unit === "s" ? 1_000 : 1);
}

export const text = (value: string): string => value;

/** `a,b` → `["a", "b"]`. */
export const list = (value: string): string[] =>
  value
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");

export const numbers = (value: string): number[] => list(value).map(number);

/** For options that may be repeated. */
export const repeated = (value: string, previous: string[] = []): string[] => [...previous, value];

/** `header:x-github-delivery` or `json:/id`: where a value is read from in a request. */
export function valueRule(value: string): object {
  const [, from, rest] = /^(header|json):(.*)$/s.exec(value) ?? [];
  if (from === "header" && rest) return { from, name: rest };
  if (from === "json" && rest !== undefined) return { from, pointer: rest };
  throw new InvalidArgumentError(
    "It must be header:NAME or json:/POINTER, such as header:x-github-delivery or json:/id.",
  );
}

/** `fixed:30`, `linear:30`, `exponential:30s`, `table:1m,5m,1h`. */
export function schedule(value: string): object {
  const [, kind, rest = ""] = /^(fixed|linear|exponential|table):(.+)$/.exec(value) ?? [];
  if (kind === "table") return { kind, delaysSeconds: list(rest).map(seconds) };
  if (kind !== undefined) return { kind, baseSeconds: seconds(rest) };
  throw new InvalidArgumentError("It must be fixed:30, linear:30, exponential:30 or table:1m,5m,1h.");
}

/** A point in time: ISO 8601, or a duration before now such as `2h`. */
export function pointInTime(value: string, nowMs: number): string {
  if (/^\d+(\.\d+)?[smhd]$/.test(value)) return new Date(nowMs - seconds(value) * 1_000).toISOString();
  const atMs = /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(atMs))
    throw new InvalidArgumentError("It must be a time such as 2026-01-31T12:00:00Z, or 2h for two hours ago.");
  return new Date(atMs).toISOString();
}
