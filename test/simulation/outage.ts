import type { Delivery } from "../../functions/core/model.js";
import { CalmRelay, type CalmRequest, type Reply } from "./calm-relay.js";

/** What a destination answers to what it has no room for. */
interface Refusal {
  readonly status: number;
  readonly retryAfterSeconds?: number;
}

/** Takes so many requests in each second, and refuses what is above it. */
export function limited(perSecond: number, refusal: Refusal, afterMs = 50): (request: CalmRequest) => Reply {
  let [second, taken] = [0, 0];
  return ({ atMs }) => {
    const current = Math.floor(atMs / 1000);
    if (current !== second) [second, taken] = [current, 0];
    taken++;
    return taken <= perSecond ? { afterMs, status: 200 } : { afterMs, ...refusal };
  };
}

export interface OutageSettings {
  readonly outageSeconds: number;
  readonly eventsPerSecond: number;
  /** What the destination takes a second once it is back; it answers 503 above that. */
  readonly capacityPerSecond: number;
  readonly maxPerSecond: number | null;
}

export interface Outage {
  /** Requests that found nobody, and those of a relay that tries each event every 30 s until it gets through. */
  readonly wasted: number;
  readonly naive: number;
  readonly deadLetters: number;
  /** Parked when the circuit closed. */
  readonly backlog: number;
  /** From the end of the outage until the circuit closed, and from then until the last of the backlog was delivered, s. */
  readonly noticedAfterSeconds: number;
  readonly drainSeconds: number;
  /** Since the circuit closed: requests that were refused, and all. */
  readonly refused: number;
  readonly made: number;
  /** Most requests within one second since then. */
  readonly peakPerSecond: number;
  readonly undelivered: number;
  readonly errors: readonly string[];
}

/** An outage of refused connections under steady traffic, which comes at random moments, and what follows it. */
export async function playOutage(settings: OutageSettings): Promise<Outage> {
  const { outageSeconds, eventsPerSecond, capacityPerSecond, maxPerSecond } = settings;
  const warmUpSeconds = 30;
  const up = limited(capacityPerSecond, { status: 503 });
  const times: number[] = [];
  let [wasted, refused, made] = [0, 0, 0];
  const relay = new CalmRelay({
    destination(request) {
      if (request.atMs >= deadFromMs && request.atMs < backAtMs) {
        wasted++;
        return { afterMs: 5, error: "refused" };
      }
      const reply = up(request);
      if (request.atMs >= backAtMs) {
        times.push(request.atMs);
        made++;
        if (reply.status !== 200) refused++;
      }
      return reply;
    },
  });
  const { world, startMs } = relay;
  const deadFromMs = startMs + warmUpSeconds * 1000;
  const backAtMs = deadFromMs + outageSeconds * 1000;
  relay.subscribe("dest", { maxPerSecond });
  const acceptedAt: number[] = [];
  let trafficUntilMs = Number.POSITIVE_INFINITY;
  const next = (): void => {
    if (world.now() >= trafficUntilMs) return;
    acceptedAt.push(world.now());
    relay.accept("dest");
    world.after((-Math.log(1 - world.random()) * 1000) / eventsPerSecond, next);
  };
  next();
  await world.run(backAtMs);
  const gate = () => relay.config.gates.get("sub_dest");
  while (gate()?.circuit !== undefined) await world.run(world.now() + 250);
  const closedAtMs = world.now();
  const waiting = [...relay.deliveries.deliveries.values()].filter(({ status }) => status === "parked");
  const isWaiting = ({ deliveryId }: Delivery) => relay.deliveries.deliveries.get(deliveryId)?.status === "parked";
  let left: readonly Delivery[] = waiting;
  while (left.length > 0 && world.now() < closedAtMs + 4 * outageSeconds * 1000) {
    await world.run(world.now() + 1_000);
    while (left.length > 0 && !isWaiting(left[0] as Delivery)) left = left.slice(1);
  }
  const drainSeconds = (world.now() - closedAtMs) / 1000;
  trafficUntilMs = world.now();
  const untilMs = world.now() + 6 * 3_600_000;
  while (relay.open > 0 && world.now() < untilMs) await world.run(world.now() + 10_000);
  const naive = acceptedAt
    .filter((atMs) => atMs >= deadFromMs && atMs < backAtMs)
    .reduce((sum, atMs) => sum + Math.ceil((backAtMs - atMs) / 30_000), 0);
  const undelivered = [...relay.deliveries.deliveries.values()].filter(({ status }) => status !== "delivered").length;
  return {
    wasted,
    naive,
    deadLetters: relay.deadLetters,
    backlog: waiting.length,
    noticedAfterSeconds: (closedAtMs - backAtMs) / 1000,
    drainSeconds,
    refused,
    made,
    peakPerSecond: mostWithin(1_000, times),
    undelivered,
    errors: relay.errors,
  };
}

/** The most of these moments, in order, that lie within so many milliseconds. */
export function mostWithin(spanMs: number, times: readonly number[]): number {
  let [first, most] = [0, 0];
  for (const [index, atMs] of times.entries()) {
    while ((times[first] ?? 0) <= atMs - spanMs) first++;
    most = Math.max(most, index - first + 1);
  }
  return most;
}
