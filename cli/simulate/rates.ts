import { recoverySecond, type Scenario, shortestDrainSeconds } from "./scenario.js";

/** Requests per second in equally long stretches of a play. */
export interface Rates {
  /** Of each stretch. */
  readonly seconds: number;
  /** The mean of each. */
  readonly perSecond: readonly number[];
}

/** What is shown of a play: until twice the shortest drain is over. */
export const shownSeconds = (scenario: Scenario): number =>
  Math.ceil(recoverySecond(scenario) + 2 * shortestDrainSeconds(scenario, scenario.perSecond * scenario.outageSeconds));

export function ratesOf(requests: readonly number[], scenario: Scenario, stretches: number): Rates {
  const seconds = shownSeconds(scenario) / stretches;
  const perSecond = Array.from({ length: stretches }, (_, index) => {
    const from = Math.floor(index * seconds);
    const to = Math.max(from + 1, Math.floor((index + 1) * seconds));
    let sum = 0;
    for (let second = from; second < to; second += 1) sum += requests[second] ?? 0;
    return sum / (to - from);
  });
  return { seconds, perSecond };
}

/** The least rate that is told from none: a probe now and then is seen. */
const leastRate = 0.01;

/** Where on a logarithmic axis a rate stands, from 0 (none) to 1 (`most`). */
export function heightOf(rate: number, most: number): number {
  if (rate < leastRate) return 0;
  return Math.min(1, Math.log(rate / leastRate) / Math.log(Math.max(most, 10 * leastRate) / leastRate));
}
