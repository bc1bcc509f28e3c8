import { arrivalSeconds, leadSeconds, recoverySecond, type Scenario } from "./scenario.js";
import { seededRandom } from "./seeded-random.js";

/** When each event is received; all policies of a comparison get the same ones. */
export interface Arrivals {
  /** Milliseconds since the beginning, ascending: an event's number is its place in the order of receipt. */
  readonly atMs: Uint32Array;
  /** Events that were received before the outage, and before the recovery. */
  readonly beforeOutage: number;
  readonly beforeRecovery: number;
}

/** Events received during the outage: what a policy has to hold until the recovery. */
export const backlogOf = ({ beforeOutage, beforeRecovery }: Arrivals): number => beforeRecovery - beforeOutage;

/** The largest number of events that a scenario comes to, within six standard deviations of its Poisson arrivals. */
export function mostEvents(scenario: Scenario): number {
  if (scenario.events !== null) return scenario.events;
  const expected = arrivalSeconds(scenario) * scenario.perSecond;
  return Math.ceil(expected + 6 * Math.sqrt(expected) + 1);
}

/** Draws the arrivals: independent ones (`poisson`), or one every 1/rate seconds. */
export function drawArrivals(scenario: Scenario): Arrivals {
  const { perSecond, events, arrivals, seed } = scenario;
  const random = seededRandom(seed);
  const endMs = events === null ? arrivalSeconds(scenario) * 1000 : Number.POSITIVE_INFINITY;
  const all = new Uint32Array(mostEvents(scenario));
  const meanMs = 1000 / perSecond;
  let [count, atMs] = [0, 0];
  while (count < all.length) {
    // 1 - draw: never the logarithm of 0.
    atMs += arrivals === "even" ? meanMs : -Math.log(1 - random()) * meanMs;
    if (atMs >= endMs) break;
    all[count] = atMs;
    count += 1;
  }
  const received = all.subarray(0, count);
  const before = (second: number) => firstFrom(received, second * 1000);
  return { atMs: received, beforeOutage: before(leadSeconds), beforeRecovery: before(recoverySecond(scenario)) };
}

/** Index of the first that is not before `atMs`. */
function firstFrom(ascending: Uint32Array, atMs: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] as number) < atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
