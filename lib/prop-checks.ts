import type { Duration } from "aws-cdk-lib";
import { PropError } from "./prop-error.js";

/** Refuses a number that is not above 0. */
export function positive(prop: string, value: number): void {
  if (value > 0) return;
  throw new PropError(prop, `must be above 0 (got ${value})`, `Pass a positive number, or leave out ${prop}`);
}

/** The value, if it is a whole number in the range. */
export function wholeNumber(prop: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`;
  throw new PropError(
    prop,
    `must be a whole number ${range} (got ${value})`,
    `Pass such a number, or leave out ${prop}`,
  );
}

/** The duration in seconds, if it is whole seconds in the range. */
export function wholeSeconds(prop: string, value: Duration, least: number, most: number): number {
  const seconds = value.toMilliseconds() / 1000;
  if (Number.isInteger(seconds) && seconds >= least && seconds <= most) return seconds;
  throw new PropError(
    prop,
    `must be whole seconds from ${least} to ${most} (got ${seconds})`,
    `Pass Duration.seconds(…) within that range`,
  );
}

/** Refuses a duration that is not whole days, or fewer than `least`. */
export function wholeDays(prop: string, value: Duration, least: number): void {
  const days = value.toMilliseconds() / 86_400_000;
  if (Number.isInteger(days) && days >= least) return;
  throw new PropError(prop, `must be whole days from ${least} on (got ${days})`, "Pass Duration.days(…) in that range");
}
