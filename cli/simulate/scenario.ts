/**
 * An outage of one destination, as it is played on a virtual clock: events arrive before, during and after it, and the
 * destination comes back with a limited capacity. Second 0 is the beginning of the play, not of the outage.
 */
export interface Scenario {
  readonly outageSeconds: number;
  /** Events per second, before, during and after the outage. */
  readonly perSecond: number;
  /** Requests per second that the destination takes when it is up; above it: 503. */
  readonly capacityPerSecond: number;
  /** What a request meets during the outage. */
  readonly failure: Failure;
  readonly arrivals: "poisson" | "even";
  /** Events in all; null: so many that they arrive for as long as {@link arrivalSeconds} says. */
  readonly events: number | null;
  /** The subscriptions' `maxPerSecond`; the policies without a circuit have none. */
  readonly maxPerSecond: number | null;
  /** Environments of the delivery function that count outcomes, each for itself. */
  readonly environments: number;
  readonly seed: number;
}

/** `refused`: no connection; `hang`: no answer until the attempt's deadline; else a status code. */
export const failures = ["refused", "503", "429", "hang"] as const;
export type Failure = (typeof failures)[number];

/** Time before the outage in which all is well. */
export const leadSeconds = 60;

/** Events arrive for this multiple of the shortest possible drain after the recovery, so that a drain meets new ones. */
const arrivalFactor = 1.5;
/** And for at least so long, where the outage was short. */
const leastArrivalSeconds = 300;

export const recoverySecond = ({ outageSeconds }: Scenario): number => leadSeconds + outageSeconds;

export function isDown(scenario: Scenario, second: number): boolean {
  return second >= leadSeconds && second < recoverySecond(scenario);
}

/** Seconds that a backlog takes at the least: new events take their share of the capacity, the rest is spare. */
export const shortestDrainSeconds = (
  { capacityPerSecond, perSecond }: Pick<Scenario, "capacityPerSecond" | "perSecond">,
  backlog: number,
): number => backlog / (capacityPerSecond - perSecond);

/** How long events arrive, unless their number is given. */
export function arrivalSeconds(scenario: Scenario): number {
  const backlog = scenario.perSecond * scenario.outageSeconds;
  const drain = Math.max(leastArrivalSeconds, arrivalFactor * shortestDrainSeconds(scenario, backlog));
  return Math.ceil(recoverySecond(scenario) + drain);
}
