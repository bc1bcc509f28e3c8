import type { PolicyPreview } from "./policy-preview.js";

/** Where on a line an attempt stands, from 0 (the event's receipt) to 1. */
export interface TimeAxis {
  /** `log` where the first retry would otherwise stand on top of the receipt. */
  readonly scale: "linear" | "log";
  /** The earliest retry; below it a log axis is linear. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Round times to name, ascending, the receipt first. */
  readonly ticksSeconds: readonly number[];
}

/** Beyond this an axis of some 70 columns has no room between receipt and first retry. */
const widestLinearRange = 40;
/** Part of a log axis that is left to the time before the first retry. */
const logOrigin = 0.08;
/** Least distance of two ticks, so that their names do not touch. */
const tickGap = 0.1;
const mostLinearTicks = 6;

const [minute, hour, day] = [60, 3_600, 86_400];
const decades = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, power) => [1, 2, 5].map((digit) => digit * from * 10 ** power)).flat();

/** Times that people name. */
const roundTimes: readonly number[] = [
  ...decades(0.001, 4),
  ...[10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...decades(day, 7),
];

/** One axis for several policies: from receipt to the last attempt of the longest; null when nothing is retried. */
export function timeAxis(previews: ReadonlyArray<Pick<PolicyPreview, "attempts">>): TimeAxis | null {
  const retries = previews.flatMap(({ attempts }) => attempts.slice(1));
  const startSeconds = Math.min(...retries.map(({ at, delay }) => at.earliestSeconds || delay.nominalSeconds));
  const endSeconds = Math.max(0, ...retries.map(({ at }) => at.latestSeconds));
  // Less than half a millisecond is no time either.
  if (endSeconds === 0) return null;
  const scale = endSeconds > startSeconds * widestLinearRange ? ("log" as const) : ("linear" as const);
  const axis = { scale, startSeconds, endSeconds };
  return { ...axis, ticksSeconds: [0, ...(scale === "log" ? logTicks(axis) : linearTicks(axis))] };
}

/** An axis that is linear whatever happens on it. */
export function linearAxis(endSeconds: number): TimeAxis {
  const axis = { scale: "linear" as const, startSeconds: 0, endSeconds };
  return { ...axis, ticksSeconds: [0, ...linearTicks(axis)] };
}

type Range = Omit<TimeAxis, "ticksSeconds">;

/** From 0 to 1. */
export function positionOn({ scale, startSeconds, endSeconds }: Range, seconds: number): number {
  const within = Math.min(Math.max(seconds, 0), endSeconds);
  if (scale === "linear") return within / endSeconds;
  if (within <= startSeconds) return (within / startSeconds) * logOrigin;
  return logOrigin + ((1 - logOrigin) * Math.log(within / startSeconds)) / Math.log(endSeconds / startSeconds);
}

function linearTicks({ endSeconds }: Range): readonly number[] {
  const step = roundTimes.find((each) => endSeconds / each <= mostLinearTicks) ?? endSeconds;
  return Array.from({ length: Math.floor(endSeconds / step) }, (_, index) => step * (index + 1));
}

function logTicks(axis: Range): readonly number[] {
  const ticks: number[] = [];
  for (const each of roundTimes.filter((time) => time >= axis.startSeconds && time <= axis.endSeconds)) {
    const before = positionOn(axis, ticks.at(-1) ?? 0);
    if (positionOn(axis, each) - before >= (ticks.length === 0 ? logOrigin : tickGap)) ticks.push(each);
  }
  return ticks;
}
