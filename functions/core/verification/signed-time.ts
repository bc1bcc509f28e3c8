import type { Walk } from "./scheme.js";

/** Digits that a time in this century and the next two can have: more would lose precision as a number. */
const digits = { seconds: /^\d{1,10}$/, milliseconds: /^\d{1,13}$/ } as const;

/**
 * A signed time as it was written (that is what is signed), once it is digits and nothing else; null when not. A time
 * that is off fails its step, and the walk goes on.
 */
export function readTime(walk: Walk, text: string, unit: "seconds" | "milliseconds"): string | null {
  if (digits[unit].test(text)) {
    checkAge(walk, unit === "seconds" ? Number(text) * 1000 : Number(text));
    return text;
  }
  const reason = `timestamp is not a whole number of ${unit}`;
  return walk.trace.fail("timestamp", `is not a whole number of ${unit} since 1970`, reason);
}

function checkAge({ request, toleranceSeconds, trace }: Walk, timeMs: number): void {
  const ageMs = request.nowMs - timeMs;
  const allowed = `${toleranceSeconds} s are allowed`;
  const seconds = Math.round(Math.abs(ageMs) / 100) / 10;
  if (ageMs > toleranceSeconds * 1000) {
    trace.fail("timestamp", `is ${seconds} s old, ${allowed}`, "timestamp is too old");
  } else if (-ageMs > toleranceSeconds * 1000) {
    trace.fail("timestamp", `is ${seconds} s in the future, ${allowed}`, "timestamp is in the future");
  } else {
    trace.pass("timestamp", `is ${seconds} s ${ageMs < 0 ? "in the future" : "old"}, ${allowed}`);
  }
}
