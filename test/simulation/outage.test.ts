import { beforeAll, describe, expect, it } from "vitest";
import { mostPerSecond } from "../../functions/core/release-pace.js";
import { gateOf, parkMany, resume, runToEnd } from "./backlog.js";
import { CalmRelay, type CalmRequest } from "./calm-relay.js";
import { receiveCycleMs } from "./event-source.js";
import { limited, mostWithin, type Outage, playOutage } from "./outage.js";

/** The full hour and all the deliveries: `npm run test:simulation -- --outage`. */
const isFull = process.env["SIMULATION_OUTAGE"] === "full";
const timeout = isFull ? 3_600_000 : 300_000;

/** All states in which the deliveries of a relay are now. */
const statesOf = (relay: CalmRelay) => new Set([...relay.deliveries.deliveries.values()].map(({ status }) => status));

const outageSeconds = isFull ? 3_600 : 150;
const perSecond = { eventsPerSecond: 50, capacityPerSecond: 100 };

describe("an outage of refused connections under 50 events a second", () => {
  let outage: Outage;
  beforeAll(async () => {
    outage = await playOutage({ ...perSecond, outageSeconds, maxPerSecond: null });
    if (isFull) console.log(outage);
  }, timeout);

  it("loses nothing", () => {
    expect(outage).toMatchObject({ errors: [], deadLetters: 0, undelivered: 0 });
  });

  it("asks the dead host less than a fraction as often as a relay would that tries every 30 s", () => {
    // The first failures weigh more in a short outage.
    expect(outage.wasted).toBeLessThan(outage.naive / (isFull ? 1_000 : 500));
  });

  it("is made up for nearly as fast as the destination can, and hardly anything is refused on the way", () => {
    const spareSeconds = outage.backlog / (perSecond.capacityPerSecond - perSecond.eventsPerSecond);
    expect(outage.backlog).toBeGreaterThan(40 * outageSeconds);
    expect(outage.drainSeconds).toBeLessThan(1.3 * spareSeconds);
    expect(outage.refused).toBeLessThan(0.05 * outage.backlog);
  });
});

describe("the same with a rate of 100 a second", () => {
  it("is made up for without a refusal, and no faster than that", { timeout }, async () => {
    const outage = await playOutage({ ...perSecond, outageSeconds: isFull ? 3_600 : 30, maxPerSecond: 100 });
    if (isFull) console.log(outage);
    expect(outage).toMatchObject({ errors: [], deadLetters: 0, undelivered: 0 });
    expect(outage.drainSeconds).toBeLessThan(1.3 * (outage.backlog / 50));
    // What comes to its slot late, by a receive or two, is close to the next.
    expect(outage.peakPerSecond).toBeLessThanOrEqual(110);
    expect(outage.refused).toBe(0);
  });
});

describe("a large backlog", () => {
  const count = isFull ? 100_000 : 5_000;

  it(`of ${count} is released completely, none twice, in the order of receipt`, { timeout }, async () => {
    const seen: string[] = [];
    const relay = new CalmRelay({
      destination({ eventId }) {
        seen.push(eventId);
        return { afterMs: 20, status: 200 };
      },
    });
    relay.subscribe("dest");
    const order = new Map((await parkMany(relay, "dest", count)).map((id, index) => [id, index]));
    await resume(relay, "dest");
    await runToEnd(relay, 3_600);
    expect([relay.errors, relay.open, statesOf(relay)]).toEqual([[], 0, new Set(["delivered"])]);
    expect([seen.length, new Set(seen).size]).toEqual([count, count]);
    // Fifty invocations at a time work on ten each.
    const displaced = seen.map((id, index) => Math.abs((order.get(id) ?? 0) - index));
    expect(Math.max(...displaced.filter((each) => each > 500), 0)).toBe(0);
    expect(gateOf(relay, "dest")).toMatchObject({ holdsParked: false });
  });
});

describe("a dead destination beside a healthy one", () => {
  /** Longest wait of the healthy one's first attempts. */
  async function longestWaitMs(deadPerSecond: number): Promise<number> {
    const sent = new Map<string, number>();
    let longest = 0;
    const relay = new CalmRelay({
      destination({ host, eventId, atMs }) {
        if (host === "dead") return { afterMs: 5, error: "refused" };
        longest = Math.max(longest, atMs - (sent.get(eventId) ?? 0));
        return { afterMs: 50, status: 200 };
      },
    });
    const post = (host: string, rate: number) => {
      relay.subscribe(host);
      for (let number = 0; number < rate * 30; number++) {
        relay.world.after((number * 1000) / rate, () => sent.set(relay.accept(host), relay.world.now()));
      }
    };
    post("healthy", 20);
    if (deadPerSecond > 0) post("dead", deadPerSecond);
    await relay.world.run(relay.startMs + 31_000);
    expect(relay.errors).toEqual([]);
    return longest;
  }

  it("makes its first attempts wait at most one receive cycle longer", { timeout }, async () => {
    expect(await longestWaitMs(200)).toBeLessThanOrEqual((await longestWaitMs(0)) + receiveCycleMs);
  });
});

describe("thousands of failures at the same moment", () => {
  const count = isFull ? 10_000 : 1_500;

  /** Most deliveries that are tried again within one second. */
  async function mostAtOnce(circuit: { failureThreshold: number } | null, retryAfterSeconds?: number) {
    const again: number[] = [];
    const relay = new CalmRelay({
      destination({ attempt, atMs }) {
        if (attempt === 1 && atMs < relay.startMs + 20_000) {
          return { afterMs: 10, status: 503, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
        }
        again.push(atMs);
        return { afterMs: 10, status: 200 };
      },
    });
    relay.subscribe("dest", { circuit, policy: { schedule: { kind: "table", delaysSeconds: [60] } } });
    for (let number = 0; number < count; number++) relay.accept("dest");
    await runToEnd(relay, 3_600);
    expect([relay.errors, statesOf(relay)]).toEqual([[], new Set(["delivered"])]);
    return mostWithin(1_000, again);
  }

  const openToAll = { failureThreshold: 1_000_000 };

  it("come back spread by their jitter, even without a circuit", { timeout }, async () => {
    // A delay of 60 s is spread over 24 s, a Retry-After of 60 s over 12 s.
    expect(await mostAtOnce(openToAll)).toBeLessThan(1.7 * (count / 24));
    expect(await mostAtOnce(openToAll, 60)).toBeLessThan(1.7 * (count / 12));
  });

  it("come back at the pace of a release with one, at the most", { timeout }, async () => {
    expect(await mostAtOnce(null)).toBeLessThan(1.1 * Math.min(count, mostPerSecond));
    expect(await mostAtOnce(null, 60)).toBeLessThan(1.1 * Math.min(count, mostPerSecond));
  });
});

describe("a flood of parked deliveries against a limit of 10 a second, with Retry-After", () => {
  it("is paced, waits as asked, and lets new events through", { timeout }, async () => {
    const count = isFull ? 20_000 : 1_000;
    const refusals: number[] = [];
    const requests: CalmRequest[] = [];
    const take = limited(10, { status: 429, retryAfterSeconds: 5 });
    const relay = new CalmRelay({
      destination(request) {
        const reply = take(request);
        requests.push(request);
        if (reply.status === 429) refusals.push(request.atMs + reply.afterMs);
        return reply;
      },
    });
    relay.subscribe("dest");
    await parkMany(relay, "dest", count);
    const fresh = new Map<string, number>();
    await resume(relay, "dest");
    const seconds = count / 5;
    for (let second = 0; second < seconds; second++) {
      relay.world.after(second * 1000 + 300, () => fresh.set(relay.accept("dest"), relay.world.now()));
    }
    await runToEnd(relay, 8 * seconds);
    expect([relay.errors, relay.deadLetters, statesOf(relay)]).toEqual([[], 0, new Set(["delivered"])]);
    const early = requests.filter(({ atMs }) => refusals.some((at) => atMs > at + 1_100 && atMs < at + 5_000));
    expect({ early: early.length, refused: refusals.length }).toMatchObject({ early: 0 });
    expect(refusals.length).toBeLessThan(0.1 * count);
    const firstTries = requests.filter(({ eventId, attempt }) => attempt === 1 && fresh.has(eventId));
    expect(firstTries).toHaveLength(seconds);
    // Those that come during a pause are parked behind the backlog; the others do not wait for it.
    const waits = firstTries.map(({ eventId, atMs }) => atMs - (fresh.get(eventId) ?? 0));
    expect(waits.filter((waitMs) => waitMs < 5_000).length).toBeGreaterThan(seconds / 2);
  });
});
