import type { PolicyPreviewView } from "../../functions/app/admin/policy-preview.js";
import type { Schedule } from "../../functions/core/model.js";
import type { StatusRange } from "../../functions/core/retried-answers.js";
import { counted, duration } from "../text.js";

/** A policy in words; every number comes from its preview. */

const [minute, hour, day] = [60, 3_600, 86_400];

/** Seconds, rounded to two units: `800ms`, `1.2s`, `1m 12s`, `1d 5h`. */
export function span(seconds: number): string {
  if (seconds > 0 && seconds < 1) return `${Math.round(seconds * 1_000)}ms`;
  if (seconds < 10) return `${Math.round(seconds * 10) / 10}s`;
  const unit = seconds >= 30 * day ? day : seconds >= day ? hour : seconds >= hour ? minute : 1;
  return duration(Math.round(seconds / unit) * unit);
}

/** `30s`, or `30s (24s to 36s)` where jitter makes a difference. */
export function bandText({ earliestSeconds, nominalSeconds, latestSeconds }: BandLike): string {
  const nominal = nominalSeconds === null ? "" : span(nominalSeconds);
  const range = `${span(earliestSeconds)} to ${span(latestSeconds)}`;
  if (earliestSeconds === latestSeconds) return nominal;
  return nominal === "" ? range : `${nominal} (${range})`;
}

interface BandLike {
  readonly earliestSeconds: number;
  readonly nominalSeconds: number | null;
  readonly latestSeconds: number;
}

/** `exponential from 30s, cap 1h, jitter ±20%, 5 attempts, strict`. */
export function policyText({ policy }: Pick<PolicyPreviewView, "policy">): string {
  const { schedule, capSeconds, jitter, maxAttempts, maxAgeSeconds, rules } = policy;
  return [
    scheduleText(schedule),
    ...(capSeconds === null ? [] : [`cap ${span(capSeconds)}`]),
    jitter === 0 ? "no jitter" : `jitter ±${percent(jitter)}`,
    counted(maxAttempts, "attempt"),
    ...(maxAgeSeconds === null ? [] : [`at most ${span(maxAgeSeconds)}`]),
    rules,
  ].join(", ");
}

/** The ladder below has a table's delays. */
const scheduleText = (schedule: Schedule): string =>
  schedule.kind === "table"
    ? `table of ${counted(schedule.delaysSeconds.length, "delay")}`
    : `${schedule.kind} from ${span(schedule.baseSeconds)}`;

export const percent = (fraction: number): string => `${Math.round(fraction * 1_000) / 10}%`;

/** `408, 429, 5xx`; `other 4xx` where most codes of a class are meant, and the rest stands elsewhere. */
export function statusText(ranges: readonly StatusRange[]): string {
  const words = [3, 4, 5].flatMap((hundreds) => {
    const [first, last] = [hundreds * 100, hundreds * 100 + 99];
    const inClass = ranges
      .filter(({ from, to }) => to >= first && from <= last)
      .map(({ from, to }) => ({ from: Math.max(from, first), to: Math.min(to, last) }));
    const size = inClass.reduce((sum, { from, to }) => sum + to - from + 1, 0);
    if (size === 100) return [`${hundreds}xx`];
    if (size > 50) return [`other ${hundreds}xx`];
    return inClass.flatMap(({ from, to }) =>
      to > from + 1 ? [`${from}-${to}`] : [...new Set([from, to])].map(String),
    );
  });
  return words.length === 0 ? "none" : words.join(", ");
}

/** What a 410 does. */
export function goneText({ answers }: Pick<PolicyPreviewView, "answers">): string {
  const holds = (ranges: readonly StatusRange[]) => ranges.some(({ from, to }) => from <= 410 && to >= 410);
  if (holds(answers.disables)) return "disables the subscription and parks its deliveries";
  return holds(answers.retried) ? "is retried as any other failure" : "is never retried, and disables nothing";
}

/** What of a table is not used, and what to do about it; null where all of it is. */
export function unreachedText(preview: PolicyPreviewView): string | null {
  const { unreachedDelaysSeconds: delays, unreachedBecause, end } = preview;
  if (unreachedBecause === null) return null;
  const shown = delays.slice(0, 5).map((each) => `${each} s`);
  const list = `${shown.join(", ")}${delays.length > shown.length ? ", …" : ""}`;
  const made = counted(end.mostAttempts, "attempt");
  return unreachedBecause === "maxAttempts"
    ? `${list}: ${made} do not reach it; raising maxAttempts extends into ${list}`
    : `${list}: maxAgeSeconds ends the delivery before it; raise that`;
}

/** Where the cap cuts in. */
export function capText({ policy, cappedFromAttempt, end }: PolicyPreviewView): string {
  const from = cappedFromAttempt === null ? null : `from attempt ${cappedFromAttempt} on`;
  if (policy.capSeconds === null) return from === null ? "none" : `none; 365 days are the longest delay: ${from}`;
  return `${span(policy.capSeconds)}: ${from ?? `not reached by ${counted(end.mostAttempts, "attempt")}`}`;
}

/** Where the time budget cuts in. */
export function budgetText({ policy, end }: PolicyPreviewView): string {
  const { maxAgeSeconds, maxAttempts } = policy;
  if (maxAgeSeconds === null) return "none";
  const { leastAttempts, mostAttempts, reasons } = end;
  const budget = `${span(maxAgeSeconds)} from receipt`;
  if (!reasons.includes("max_age")) return `${budget}: longer than ${counted(maxAttempts, "attempt")} take`;
  const made =
    leastAttempts === mostAttempts ? counted(mostAttempts, "attempt") : `${leastAttempts} to ${mostAttempts} attempts`;
  return `${budget}: leaves time for ${made} of ${maxAttempts}`;
}

/** When, at worst, and why a delivery that always fails is a dead letter. */
export function deadLetterText({ end }: Pick<PolicyPreviewView, "end">): string {
  const { leastAttempts, mostAttempts, latestSeconds, reasons } = end;
  const last = leastAttempts === mostAttempts ? String(mostAttempts) : `${leastAttempts} to ${mostAttempts}`;
  const when = latestSeconds === 0 ? "" : `${span(latestSeconds)} after receipt at worst, `;
  return `${when}when attempt ${last} has failed: ${reasons.join(" or ")}`;
}

/** When the last attempt is made. */
export const lastAttemptText = ({ end }: Pick<PolicyPreviewView, "end">): string =>
  end.latestSeconds === 0 ? "at once" : `after ${bandText(end)}`;

export function retryAfterText({ policy, longestRetryAfterSeconds }: PolicyPreviewView): string {
  const { retryAfterCapSeconds, jitter } = policy;
  const most = `replaces the delay, up to ${span(retryAfterCapSeconds)}`;
  return jitter === 0 ? most : `${most}; jitter only adds: ${span(longestRetryAfterSeconds)} at most`;
}

export const errorsText = (errors: readonly string[]): string => (errors.length === 0 ? "none" : errors.join(", "));
