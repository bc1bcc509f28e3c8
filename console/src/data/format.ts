import { duration, printable } from "../../../cli/text.js";

/** Numbers and times as they are read. */

/** `41 ms`, `2.4 s`, `3m 10s`. */
export function milliseconds(ms: number): string {
  if (ms < 1_000) return `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : duration(ms / 1_000);
}

/** `512 B`, `3.4 KB`. */
export function bytes(count: number): string {
  if (count < 1_024) return `${count} B`;
  return count < 1_048_576 ? `${(count / 1_024).toFixed(1)} KB` : `${(count / 1_048_576).toFixed(1)} MB`;
}

export const whole = (count: number): string => count.toLocaleString("en");

export const counted = ({ count, atLeast }: { readonly count: number; readonly atLeast: boolean }): string =>
  `${whole(count)}${atLeast ? "+" : ""}`;

/** `2026-01-31 12:00:00 UTC`. */
export const utc = (iso: string): string => `${new Date(iso).toISOString().slice(0, 19).replace("T", " ")} UTC`;

/** What somebody else wrote, with control and direction characters made visible. */
export const foreign = (text: string, lines = false): string => printable(text, { lines });
