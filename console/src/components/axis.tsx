import { duration } from "../../../cli/text.js";
import { positionOn, type TimeAxis } from "../../../functions/core/time-axis.js";

/** Where the drawing of a time axis begins and ends, in percent: room for the marks at its ends. */
const leastPercent = 2;
const mostPercent = 96;

/** Percent from the left. */
export const percentOn = (axis: TimeAxis, seconds: number): number =>
  leastPercent + positionOn(axis, seconds) * (mostPercent - leastPercent);

/** The named times of an axis, with their lines. */
export function Axis({ axis }: { readonly axis: TimeAxis }) {
  return (
    <div class="axis" aria-hidden="true">
      {axis.ticksSeconds.map((seconds) => (
        <span key={seconds} style={{ left: `${percentOn(axis, seconds)}%` }}>
          {seconds === 0 ? "0" : duration(seconds)}
        </span>
      ))}
    </div>
  );
}
