import { type Cron, nextCronTime, parseCron } from "./cron.js";
import { localTimeAt, momentOf, utcOf } from "./zone.js";

/** When a schedule fires. */
export type Expression =
  | { readonly kind: "at"; readonly atMs: number }
  | { readonly kind: "rate"; readonly everyMs: number }
  | { readonly kind: "cron"; readonly cron: Cron; readonly zone: string };

const unitMs: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Reads `at(yyyy-mm-ddThh:mm:ss)`, `rate(5 minutes)` or `cron(…)`. Null when it is wrong. */
export function parseExpression(text: string, zone: string): Expression | null {
  const call = /^(at|rate|cron)\((.*)\)$/.exec(text);
  const inner = call?.[2] ?? "";
  switch (call?.[1]) {
    case "at":
      return parseAt(inner, zone);
    case "rate":
      return parseRate(inner);
    case "cron": {
      const cron = parseCron(inner);
      return cron && { kind: "cron", cron, zone };
    }
    default:
      return null;
  }
}

/**
 * The first time at or after which a new schedule fires: a rate starts at its start date, or at once.
 * Null: never (again).
 */
export function firstFireAt(expression: Expression, startMs: number | null, nowMs: number): number | null {
  if (expression.kind === "at") return expression.atMs;
  const fromMs = Math.max(startMs ?? nowMs, nowMs);
  if (expression.kind === "cron") return nextCronTime(expression.cron, expression.zone, fromMs - 1);
  if (startMs === null || startMs >= nowMs) return fromMs;
  return startMs + Math.ceil((nowMs - startMs) / expression.everyMs) * expression.everyMs;
}

/** The time after one that was due at `firedAtMs`; times that passed meanwhile are left out. Null: it was the last. */
export function nextFireAt(expression: Expression, firedAtMs: number, nowMs: number): number | null {
  switch (expression.kind) {
    case "at":
      return null;
    case "cron":
      return nextCronTime(expression.cron, expression.zone, Math.max(firedAtMs, nowMs));
    case "rate": {
      const missed = Math.max(0, Math.floor((nowMs - firedAtMs) / expression.everyMs));
      return firedAtMs + (missed + 1) * expression.everyMs;
    }
  }
}

function parseAt(text: string, zone: string): Expression | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})$/.exec(text);
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const time = { year, month, day, hour, minute, second };
  // Month 13 and 30 February roll over into another date: then they are not what was asked for.
  const rolled = localTimeAt(utcOf(time), "UTC");
  const real = Object.entries(time).every(([field, value]) => rolled[field as keyof typeof time] === value);
  return real ? { kind: "at", atMs: momentOf(time, zone) } : null;
}

function parseRate(text: string): Expression | null {
  const match = /^(\d+) (minute|hour|day)s?$/.exec(text);
  const everyMs = Number(match?.[1]) * (unitMs[match?.[2] ?? ""] ?? Number.NaN);
  return everyMs > 0 ? { kind: "rate", everyMs } : null;
}
