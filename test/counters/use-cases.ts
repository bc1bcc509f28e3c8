import type { Recording } from "../support/counting-recorder.js";
import type { CountingRelay, FunctionName } from "../support/counting-relay.js";
import type { Answer } from "../support/destination.js";
import type { HttpApiRequest } from "../support/http-api-event.js";
import { aSource, randomBody } from "./counted-source.js";

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
} as const satisfies Readonly<Record<string, readonly [FunctionName, string]>>;

export type StepId = keyof typeof titles;

/** Goes through all of them on one relay, and gives them in the table's order. */
export async function countUseCases(relay: CountingRelay): Promise<readonly CountedStep[]> {
  const recordings: Partial<Record<StepId, Recording>> = {
    ...(await countAcceptance(relay)),
    ...(await countFirstAttempts(relay)),
    ...(await countLargeEvent(relay)),
    ...(await countRetries(relay)),
    ...(await countFanOut(relay)),
    ...(await countSlowLane(relay)),
    ...(await countParking(relay)),
  };
  return (Object.keys(titles) as StepId[]).map((id) => {
    const recording = recordings[id];
    if (recording === undefined) throw new Error(`nothing counted ${id}`);
    const [functionName, title] = titles[id];
    return { id, title, function: functionName, recording };
  });
}

type Recordings = Partial<Record<StepId, Recording>>;

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
  await passed(relay, source.event());
  const released = await onlyTick(relay);
  const deliveredParked = await onlyTurn(relay);
  relay.advance(1);
  const lookedOn = await onlyTick(relay);
  relay.advance(30);
  return { resumed, released, deliveredParked, lookedOn, lookedAgain: await onlyTick(relay) };
}

/** Accepts an event and takes its message through the delivery function. */
async function passed(relay: CountingRelay, request: HttpApiRequest): Promise<Recording> {
  await relay.accept(request);
  return onlyTurn(relay);
}

/** One invocation, which must get exactly so many messages: others would be counted along. */
async function onlyTurn(relay: CountingRelay, messages = 1, deliver = relay.deliver): Promise<Recording> {
  const { recording, received } = await deliver();
  if (received !== messages) throw new Error(`${received} messages on the queue, not ${messages}`);
  return recording;
}

async function onlyTick(relay: CountingRelay): Promise<Recording> {
  const { recording, received } = await relay.tick();
  if (received !== 1) throw new Error(`${received} ticks on the control queue, not 1`);
  return recording;
}

/** With another answer of the destination than 200. */
async function answered(relay: CountingRelay, answer: Answer, work: () => Promise<Recording>): Promise<Recording> {
  relay.destination.answer(answer);
  const recording = await work();
  relay.destination.answer(200);
  return recording;
}
