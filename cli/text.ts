/**
 * Text from elsewhere for a terminal: control and format characters are shown, never executed, so that nothing that a
 * provider sent can move the cursor or change the terminal. Line breaks and tabs stay only where `lines` says so.
 */
export function printable(text: string, { lines = false } = {}): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    lines && /[\t\n]/.test(character) ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/**
 * JSON that is harmless on a terminal too: what `printable` shows is escaped as JSON does it. `indent`: 0 for one line.
 */
export function printableJson(value: unknown, indent: 0 | 2 = 2): string {
  return JSON.stringify(value, null, indent).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character === "\n" ? character : character.split("").map(escapedUnit).join(""),
  );
}

const escapedUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

const units = [
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
  ["s", 1],
] as const;

/** `41s`, `5m`, `3h 20m`, `2d 4h`: two units at most. */
export function duration(seconds: number): string {
  const whole = Math.round(Math.max(0, seconds));
  const index = units.findIndex(([, size]) => whole >= size);
  if (index < 0) return seconds > 0 ? `${Math.round(seconds * 1_000)}ms` : "0s";
  const [unit, size] = units[index] as (typeof units)[number];
  const next = units[index + 1];
  const rest = next === undefined ? 0 : Math.floor((whole % size) / next[1]);
  return `${Math.floor(whole / size)}${unit}${rest > 0 && next !== undefined ? ` ${rest}${next[0]}` : ""}`;
}

/** `3m ago`, `in 20s`, `now`. */
export function relativeTime(iso: string, nowMs: number): string {
  const seconds = (Date.parse(iso) - nowMs) / 1_000;
  if (Math.abs(seconds) < 1) return "now";
  return seconds > 0 ? `in ${duration(seconds)}` : `${duration(-seconds)} ago`;
}

/** To the second, UTC, and taken by `--since` and `--until` as it stands. */
export const absoluteTime = (iso: string): string => `${new Date(iso).toISOString().slice(0, 19)}Z`;

export const bothTimes = (iso: string, nowMs: number): string => `${absoluteTime(iso)} (${relativeTime(iso, nowMs)})`;

/** `1 source`, `2 sources`. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;
