import { usageError } from "../cli-error.js";
import { choosePolicies, type PolicyChoice } from "../policy/policy-choices.js";
import { writeSvg } from "../policy/write-svg.js";
import { Progress } from "../progress.js";
import type { Session } from "../session.js";
import { drawArrivals, mostEvents } from "./arrivals.js";
import { play } from "./play.js";
import { playersOf } from "./players.js";
import { ratesSvg } from "./rates-svg.js";
import type { Failure, Scenario } from "./scenario.js";
import { playedView, type SimulatedPolicy, showSimulation } from "./show-simulation.js";

export interface SimulateOptions extends PolicyChoice {
  readonly outage: number;
  readonly rate: number;
  readonly capacity: number;
  readonly events?: number;
  readonly compare: string;
  readonly maxPerSecond?: number;
  readonly failure: Failure;
  readonly arrivals: "poisson" | "even";
  readonly environments: number;
  readonly seed: number;
  readonly svg?: string;
}

/** Plays an outage with each policy, and shows what they came to. */
export async function simulatePolicies(session: Session, options: SimulateOptions): Promise<void> {
  const scenario = scenarioOf(options);
  const players = playersOf(await choosePolicies(options, session.io), options.compare);
  const arrivals = drawArrivals(scenario);
  const progress = new Progress(session.io.stderr);
  const played = players.map((each, index): SimulatedPolicy => {
    progress.show(index / players.length, `${each.label}: ${index + 1} of ${players.length}`);
    return { ...each, ...play(scenario, arrivals, each.player) };
  });
  progress.clear();
  if (options.svg === "-") return session.line(ratesSvg(scenario, played));
  session.result({ scenario, policies: played.map((each) => playedView(scenario, each)) }, () =>
    showSimulation(session, scenario, played),
  );
  if (options.svg !== undefined) await writeSvg(session, options.svg, ratesSvg(scenario, played));
}

const day = 86_400;
/** More than these take more memory and time than anybody has. */
const eventsAtMost = 20_000_000;
const longestOutageSeconds = 7 * day;

function scenarioOf(options: SimulateOptions): Scenario {
  const { outage, rate, capacity, events = null, maxPerSecond = null, environments } = options;
  require(rate > 0, "--rate must be more than 0 events per second.");
  require(Number.isInteger(capacity) &&
    capacity >
      rate, `--capacity must be a whole number above --rate (${rate}): what is not spare never takes a backlog.`);
  require(Number.isInteger(outage) &&
    outage >= 1 &&
    outage <= longestOutageSeconds, "--outage must be whole seconds, from 1s to 7d.");
  require(maxPerSecond === null ||
    maxPerSecond > rate, `--max-per-second must be above --rate (${rate}): below it a backlog only grows.`);
  require(environments >= 1 && environments <= 1_000, "--environments must be 1 to 1000.");
  require(events === null || events >= 1, "--events must be at least 1.");
  const { failure, arrivals, seed } = options;
  const scenario: Scenario = {
    outageSeconds: outage,
    perSecond: rate,
    capacityPerSecond: capacity,
    failure,
    arrivals,
    events,
    maxPerSecond,
    environments,
    seed,
  };
  const most = mostEvents(scenario);
  require(most <=
    eventsAtMost, `These are ${most} events, of ${eventsAtMost} at most: lower --rate, --outage or --events.`);
  return scenario;
}

function require(holds: boolean, message: string): void {
  if (!holds) throw usageError(message);
}
