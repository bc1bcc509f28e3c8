import type { Recording } from "../support/counting-recorder.js";
import type { CountingRelay, FunctionName } from "../support/counting-relay.js";
import type { Answer } from "../support/destination.js";
import { countOutage } from "./count-outage.js";
import { type CountedSize, countBatch, countSizes, countSweep } from "./count-sizes.js";
import { aSource, randomBody } from "./counted-source.js";
import { answered, onlyTick, onlyTurn, passed } from "./turns.js";

/** One invocation of one function, counted. */
export interface CountedStep {
  readonly id: StepId;
  readonly title: string;
  readonly function: FunctionName;
  readonly recording: Recording;
}

/** What is counted, in the order of the table; configuration and gate are in the function's memory unless it says so. */
const titles = {
  accepted: ["ingress", "An event is accepted"],
  acceptedCold: ["ingress", "The same, configuration not in memory"],
  acceptedLarge: ["ingress", "An event of 2 MB is accepted"],
  delivered: ["delivery", "The first attempt succeeds"],
  deliveredIdle: ["delivery", "The same, gate last read more than a second ago"],
  deliveredCold: ["delivery", "The same, nothing in memory"],
  deliveredLarge: ["delivery", "The first attempt of an event of 2 MB succeeds"],
  failed: ["delivery", "The first attempt fails, a retry is due in 30 s"],
  retried: ["delivery", "The retry succeeds"],
  failedAgain: ["delivery", "A retry fails, the next one is due in an hour"],
  deadLettered: ["delivery", "The last attempt fails: dead letter"],
  duplicate: ["delivery", "An event that was delivered comes again"],
  unwanted: ["delivery", "An event for nobody"],
  fannedOut: ["delivery", "An event for ten subscriptions is fanned out"],
  tenDelivered: ["delivery", "Their ten first attempts, one batch"],
  noted: ["delivery", "An attempt hangs for 5 s, which is noted besides"],
  handedOver: ["delivery", "An event for a slow subscription is handed over"],
  deliveredSlow: ["delivery", "Its first attempt succeeds on the slow lane"],
  parked: ["delivery", "A first attempt meets a paused subscription: parked"],
  resumed: ["admin", "The subscription is resumed"],
  released: ["sweeper", "A tick releases the one that is parked"],
  lookedOn: ["sweeper", "The next tick finds no more"],
  lookedAgain: ["sweeper", "The last look, half a minute later"],
  deliveredParked: ["delivery", "The attempt of the one released succeeds"],
  failedMore: ["delivery", "A first attempt fails in a second in which the gate was told of another"],
  opened: ["delivery", "A first attempt fails and opens the circuit"],
  beside: ["delivery", "Meanwhile a first attempt at another destination succeeds"],
  parkedOpen: ["delivery", "A first attempt meets the open circuit: parked"],
  probed: ["sweeper", "A tick probes with one of three that are parked"],
  probeFailed: ["delivery", "The probe fails"],
  replaced: ["sweeper", "A tick that has been replaced"],
  probedAgain: ["sweeper", "The next tick probes with another one"],
  probeDelivered: ["delivery", "The probe succeeds and closes the circuit"],
  releasedOpen: ["sweeper", "A tick releases the last one"],
  deliveredAfter: ["delivery", "Its first attempt succeeds"],
  rated: ["delivery", "Under maxPerSecond the first attempt succeeds, gate last read more than a second ago"],
  waits: ["delivery", "The next one has to wait for its slot"],
  deliveredInSlot: ["delivery", "It succeeds in its slot"],
  tested: ["admin", "A test event is sent"],
  replayed: ["admin", "A delivery is replayed"],
  deliveredReplay: ["delivery", "The first attempt of a replay succeeds"],
  replayedMany: ["sweeper", "A tick of a bulk replay replays two deliveries"],
  accepted256: ["ingress", "An event of 256 bytes is accepted"],
  delivered256: ["delivery", "Its first attempt succeeds: 256 bytes"],
  accepted1k: ["ingress", "An event of 1 KB is accepted"],
  delivered1k: ["delivery", "Its first attempt succeeds: 1 KB"],
  accepted10k: ["ingress", "An event of 10 KB is accepted"],
  delivered10k: ["delivery", "Its first attempt succeeds: 10 KB"],
  accepted100k: ["ingress", "An event of 100 KB is accepted"],
  delivered100k: ["delivery", "Its first attempt succeeds: 100 KB"],
  accepted1m: ["ingress", "An event of 1 MB is accepted"],
  delivered1m: ["delivery", "Its first attempt succeeds: 1 MB"],
  deliveredTen: ["delivery", "First attempts of ten events succeed, one batch"],
  swept: ["sweeper", "A sweep finds nothing overdue"],
} as const satisfies Readonly<Record<string, readonly [FunctionName, string]>>;

export type StepId = keyof typeof titles;

/** All that is counted: the steps in the table's order, and what bodies of the counted sizes come to. */
export interface Counted {
  readonly steps: readonly CountedStep[];
  readonly sizes: readonly CountedSize[];
}

/** Goes through all of them on one relay. */
export async function countUseCases(relay: CountingRelay): Promise<Counted> {
  const swept = await countSweep(relay);
  const { recordings: sized, sizes } = await countSizes(relay);
  const recordings: Partial<Record<StepId, Recording>> = {
    ...swept,
    ...sized,
    ...(await countBatch(relay)),
    ...(await countAcceptance(relay)),
    ...(await countFirstAttempts(relay)),
    ...(await countLargeEvent(relay)),
    ...(await countRetries(relay)),
    ...(await countFanOut(relay)),
    ...(await countSlowLane(relay)),
    ...(await countParking(relay)),
    ...(await countOutage(relay, 2)),
    ...(await countRate(relay)),
    ...(await countReplay(relay)),
  };
  const steps = (Object.keys(titles) as StepId[]).map((id): CountedStep => {
    const recording = recordings[id];
    if (recording === undefined) throw new Error(`nothing counted ${id}`);
    const [functionName, title] = titles[id];
    return { id, title, function: functionName, recording };
  });
  return { steps, sizes };
}

export type Recordings = Partial<Record<StepId, Recording>>;

async function countAcceptance(relay: CountingRelay): Promise<Recordings> {
  const source = await aSource(relay);
  const acceptedCold = await relay.accept(source.event());
  await onlyTurn(relay);
  const accepted = await relay.accept(source.event());
  const unwanted = await onlyTurn(relay);
  return { acceptedCold, accepted, unwanted };
}

async function countFirstAttempts(relay: CountingRelay): Promise<Recordings> {
  const source = await aSource(relay, {});
  const deliveredCold = await passed(relay, source.event());
  const again = source.event();
  const delivered = await passed(relay, again);
  const duplicate = await passed(relay, again);
  relay.advance(2);
  const deliveredIdle = await passed(relay, source.event());
  return { deliveredCold, delivered, duplicate, deliveredIdle };
}

async function countLargeEvent(relay: CountingRelay): Promise<Recordings> {
  const source = await aSource(relay, {});
  await passed(relay, source.event());
  const acceptedLarge = await relay.accept(source.event(randomBody(2 * 1024 * 1024)));
  return { acceptedLarge, deliveredLarge: await onlyTurn(relay) };
}

/** Attempts at seconds 0, 30, 3630 and 3660; each with warm memory. */
async function countRetries(relay: CountingRelay): Promise<Recordings> {
  const schedule = { kind: "table", delaysSeconds: [30, 3600, 30] };
  const source = await aSource(relay, { policy: { schedule, jitter: 0, maxAttempts: 4 } });
  const retry = async (afterSeconds: number, answer: Answer) => {
    relay.advance(afterSeconds - 0.5);
    // The first success after a failure is told to the gate, which is read again then.
    await passed(relay, source.event());
    await passed(relay, source.event());
    relay.advance(0.5);
    return answered(relay, answer, () => onlyTurn(relay));
  };
  await passed(relay, source.event());
  const failed = await answered(relay, 503, () => passed(relay, source.event()));
  const retried = await retry(30, 200);

  await answered(relay, 503, () => passed(relay, source.event()));
  const failedAgain = await retry(30, 503);
  await retry(3600, 503);
  const deadLettered = await retry(30, 503);
  return { failed, retried, failedAgain, deadLettered };
}

async function countFanOut(relay: CountingRelay): Promise<Recordings> {
  const source = await aSource(relay, ...Array.from({ length: 10 }, () => ({})));
  await passed(relay, source.event());
  await relay.deliver();
  await relay.accept(source.event());
  return { fannedOut: await onlyTurn(relay), tenDelivered: await onlyTurn(relay, 10) };
}

async function countSlowLane(relay: CountingRelay): Promise<Recordings> {
  const source = await aSource(relay, {});
  await passed(relay, source.event());
  const noted = await source.slowDown();
  relay.advance(2);
  await passed(relay, source.event());
  await onlyTurn(relay, 1, relay.deliverSlow);
  const handedOver = await passed(relay, source.event());
  return { noted, handedOver, deliveredSlow: await onlyTurn(relay, 1, relay.deliverSlow) };
}

async function countParking(relay: CountingRelay): Promise<Recordings> {
  const source = await aSource(relay, {});
  await passed(relay, source.event());
  await source.pause();
  relay.advance(2);
  await passed(relay, source.event());
  return { parked: await passed(relay, source.event()), ...(await countRelease(relay)) };
}

async function countRelease(relay: CountingRelay): Promise<Recordings> {
  const source = await aSource(relay, {});
  await source.pause();
  await passed(relay, source.event());
  const resumed = await source.resume();
  // What the function remembers of the gate is over, so that the next event meets it open.
  relay.advance(2);
  await passed(relay, source.event());
  const released = await onlyTick(relay);
  const deliveredParked = await onlyTurn(relay);
  relay.advance(1);
  const lookedOn = await onlyTick(relay);
  relay.advance(30);
  return { resumed, released, deliveredParked, lookedOn, lookedAgain: await onlyTick(relay) };
}

/** A slot every few seconds: the second event has to wait for one. */
async function countRate(relay: CountingRelay): Promise<Recordings> {
  const source = await aSource(relay, { maxPerSecond: 0.15 });
  await passed(relay, source.event());
  relay.advance(8);
  const rated = await passed(relay, source.event());
  const waits = await passed(relay, source.event());
  relay.advance(7);
  return { rated, waits, deliveredInSlot: await onlyTurn(relay) };
}

async function countReplay(relay: CountingRelay): Promise<Recordings> {
  const { subscriptionId } = await aSource(relay, {});
  const { body: sent, recording: tested } = await relay.admin(
    "POST",
    `/admin/subscriptions/${subscriptionId}/test`,
    {},
  );
  await onlyTurn(relay);
  const { recording: replayed } = await relay.admin("POST", `/admin/deliveries/${sent.deliveryId}/replay`, {});
  const deliveredReplay = await onlyTurn(relay);
  const filter = { status: "delivered", subscriptionId };
  await relay.admin("POST", "/admin/replays", { filter, includeReplayed: true });
  const replayedMany = await onlyTick(relay);
  await onlyTurn(relay, 2);
  return { tested, replayed, deliveredReplay, replayedMany };
}
