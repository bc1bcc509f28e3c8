import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Destination } from "../support/destination.js";
import { type DeliveryView, eventually, isFinal, relayClient } from "../support/relay.js";
import { seededRandom } from "../support/virtual-clock.js";
import { AwsView } from "./aftermath.js";
import { duplicatesIn, type Outcome, violationsOf } from "./checks.js";
import { type AcceptedEvent, Load } from "./load.js";
import { type Behaviour, behaviours, startReceivers } from "./receivers.js";
import { RelayProcess } from "./relay-process.js";

export interface Options {
  /** How often the relay is killed. */
  readonly rounds: number;
  /** Decides when it is killed, and what is posted; the machine decides the rest. */
  readonly seed: number;
  /** Between two posts of one of the four providers, at most. Default 120 ms. */
  readonly longestPauseMs?: number;
  readonly onRound?: (round: Round) => void;
}

/** One kill. */
export interface Round {
  readonly number: number;
  readonly moment: Moment;
  /** Milliseconds after that moment. */
  readonly afterMs: number;
  readonly accepted: number;
  readonly requests: number;
}

export interface Report {
  readonly accepted: number;
  readonly unanswered: number;
  /** Messages that ten kills in a row had under way: faults, which were sent back. */
  readonly redriven: number;
  readonly delivered: number;
  readonly deadLettered: number;
  readonly requests: number;
  /** Attempts whose function died with the relay. */
  readonly unknown: number;
  /** Requests that a destination took although it had taken one before. */
  readonly duplicates: number;
  readonly violations: readonly string[];
}

/** A fan-out, and the straight way of a single subscription. */
const sources: Readonly<Record<string, readonly Behaviour[]>> = {
  many: Object.keys(behaviours) as Behaviour[],
  single: ["fast"],
};

/**
 * Kills a relay with `kill -9` again and again while providers post to it, lets the last one work to the end, and
 * compares what was accepted, what is recorded and what the destinations saw.
 */
export async function killAgainAndAgain({
  rounds,
  seed,
  longestPauseMs = 120,
  onRound = () => {},
}: Options): Promise<Report> {
  const dataDir = await mkdtemp(join(tmpdir(), "steadyhook-durability-"));
  const receivers = await startReceivers();
  const relay = await RelayProcess.at(dataDir);
  try {
    await relay.start().ready;
    const behaviourOf = await subscribe(relay, receivers);
    const load = new Load(relay.url, Object.keys(sources), seededRandom(seed), longestPauseMs);
    load.start();
    await killRounds(relay, receivers, seededRandom(seed + 1), rounds, (kill) =>
      onRound({ ...kill, accepted: load.accepted.length, requests: receivers.requests.length }),
    );
    await load.stop();
    return await judge(relay, load, receivers, behaviourOf);
  } finally {
    await relay.kill();
    await receivers.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function subscribe(relay: RelayProcess, receivers: Destination): Promise<ReadonlyMap<string, Behaviour>> {
  const { source } = relayClient(relay.url);
  const behaviourOf = new Map<string, Behaviour>();
  for (const [sourceId, names] of Object.entries(sources)) {
    const subscriptions = names.map((name) => ({ name, url: `${receivers.url}/${name}`, policy, circuit }));
    const dedupe = { from: "header", name: "x-event-key" };
    const made = await source({ sourceId, dedupe }, ...subscriptions);
    for (const { subscriptionId, name } of made) behaviourOf.set(subscriptionId, name as Behaviour);
  }
  return behaviourOf;
}

/** One attempt may fail, and several may die with the relay. */
const policy = { schedule: { kind: "table", delaysSeconds: [1, 2] }, maxAttempts: 4, jitter: 0.2 };
/** Never opens: what is measured is what a kill does. */
const circuit = { failureThreshold: 100_000 };

/** When a kill comes, and the longest time after that moment. */
const moments = {
  starting: 1_500,
  ready: 3_000,
  /** Counted from the first request that reaches a destination. */
  working: 2_000,
} as const;

export type Moment = keyof typeof moments;

/** Half of the kills meet attempts under way, however slow the machine is; the first one surely. */
function momentOf(number: number, random: number): Moment {
  if (number === 1 || random < 0.5) return "working";
  return random < 0.8 ? "ready" : "starting";
}

async function killRounds(
  relay: RelayProcess,
  receivers: Destination,
  random: () => number,
  rounds: number,
  onKill: (kill: Pick<Round, "number" | "moment" | "afterMs">) => void,
): Promise<void> {
  for (let number = 1; number <= rounds; number++) {
    const moment = momentOf(number, random());
    const afterMs = Math.round(random() * moments[moment]);
    const { ready } = number === 1 ? { ready: Promise.resolve(true) } : relay.start();
    if (moment !== "starting") await ready;
    if (moment === "working") await receivers.received(receivers.requests.length + 1);
    await pause(afterMs);
    await relay.kill();
    await ready;
    onKill({ number, moment, afterMs });
  }
  await relay.start().ready;
}

/** How long the last relay gets for everything that is still to do. */
const restMs = 300_000;

async function judge(
  relay: RelayProcess,
  load: Load,
  receivers: Destination,
  behaviourOf: ReadonlyMap<string, Behaviour>,
): Promise<Report> {
  const { accepted, unanswered } = load;
  const aws = new AwsView(relay.awsUrl);
  try {
    const redriven = new Set<string>();
    const deliveries = await finalDeliveries(relay.url, accepted, redriven);
    const atRest = await eventuallyOr<boolean>(
      async () => ((await aws.aftermath()).pending === 0 ? true : undefined),
      false,
    );
    const { pending, faults } = await aws.aftermath();
    const deadLetters = await aws.deadLetters();
    const fanOut = new Map(Object.entries(sources).map(([sourceId, names]) => [sourceId, names.length]));
    const { requests } = receivers;
    const outcome: Outcome = { accepted, deliveries, requests, behaviourOf, fanOut, deadLetters };
    const all = [...deliveries.values()].flat();
    return {
      accepted: accepted.length,
      unanswered,
      redriven: redriven.size,
      delivered: all.filter(({ status }) => status === "delivered").length,
      deadLettered: all.filter(({ status }) => status === "dead_lettered").length,
      requests: requests.length,
      unknown: all.flatMap(({ attempts }) => attempts).filter((attempt) => attempt.outcome === "unknown").length,
      duplicates: duplicatesIn(outcome),
      violations: [
        ...violationsOf(outcome),
        ...(atRest ? [] : [`${pending} messages and schedules are left`]),
        ...(faults > 0 ? [`${faults} faults`] : []),
      ],
    };
  } finally {
    aws.close();
  }
}

/** The deliveries of each event, once all of them are final, or as they are when the time is over. */
async function finalDeliveries(
  url: string,
  accepted: readonly AcceptedEvent[],
  redriven: Set<string>,
): Promise<ReadonlyMap<string, readonly DeliveryView[]>> {
  const found = new Map<string, readonly DeliveryView[]>();
  let open = accepted;
  await eventuallyOr<boolean>(async () => {
    for (const faultId of await redriveFaults(url)) redriven.add(faultId);
    for (const { eventId } of open) found.set(eventId, await deliveriesOf(url, eventId));
    open = open.filter(({ eventId, sourceId }) => {
      const deliveries = found.get(eventId) ?? [];
      return deliveries.length < (sources[sourceId]?.length ?? 0) || !deliveries.every(isFinal);
    });
    return open.length === 0 ? true : undefined;
  }, false);
  return found;
}

async function deliveriesOf(url: string, eventId: string): Promise<readonly DeliveryView[]> {
  const response = await fetch(`${url}/admin/events/${eventId}`);
  if (!response.ok) return [];
  return ((await response.json()) as { deliveries: DeliveryView[] }).deliveries;
}

/** What an operator does about faults: sends them back. */
async function redriveFaults(url: string): Promise<readonly string[]> {
  const { admin } = relayClient(url);
  const { items } = await admin<{ items: { faultId: string }[] }>("GET", "/admin/faults?limit=100");
  for (const { faultId } of items) await admin("POST", `/admin/faults/${faultId}/redrive`, {});
  return items.map(({ faultId }) => faultId);
}

/** Time that runs out is a result here, not a failure of the test's own. */
async function eventuallyOr<Value>(ask: () => Promise<Value | undefined>, otherwise: Value): Promise<Value> {
  try {
    return await eventually(ask, restMs);
  } catch {
    return otherwise;
  }
}
