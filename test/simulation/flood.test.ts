import { describe, expect, it } from "vitest";
import { mostPerSecond } from "../../functions/core/release-pace.js";
import { parkMany, resume, runToEnd, statesOf } from "./backlog.js";
import { CalmRelay, type CalmRequest } from "./calm-relay.js";
import { receiveCycleMs } from "./event-source.js";
import { limited } from "./outage.js";
import { firstAttemptsMs, playStampede } from "./stampede.js";

/** With all the deliveries: `npm run test:simulation -- --outage`. */
const isFull = process.env["SIMULATION_OUTAGE"] === "full";
const timeout = isFull ? 3_600_000 : 300_000;

describe("a dead destination beside a healthy one", () => {
  const seconds = isFull ? 30 : 20;

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
      for (let number = 0; number < rate * seconds; number++) {
        relay.world.after((number * 1000) / rate, () => sent.set(relay.accept(host), relay.world.now()));
      }
    };
    post("healthy", 20);
    if (deadPerSecond > 0) post("dead", deadPerSecond);
    await relay.world.run(relay.startMs + (seconds + 1) * 1000);
    expect(relay.errors).toEqual([]);
    return longest;
  }

  it("makes its first attempts wait at most one receive cycle longer", { timeout }, async () => {
    expect(await longestWaitMs(isFull ? 200 : 100)).toBeLessThanOrEqual((await longestWaitMs(0)) + receiveCycleMs);
  });
});

describe("thousands of failures at the same moment", () => {
  const count = isFull ? 10_000 : 1_000;

  /**
   * Most of them that may come within a second when a delay is spread evenly over so many: each comes in one of the
   * seconds, whole ones, since queues know no others. Five standard deviations are left to chance.
   */
  const mostOf = (seconds: number) => count / seconds + 5 * Math.sqrt((count / seconds) * (1 - 1 / seconds));

  it("come back spread by their jitter at each step of the ladder, even without a circuit", { timeout }, async () => {
    const { most, ...rest } = await playStampede({ count, hasCircuit: false, refuses: (attempt) => attempt <= 4 });
    expect(rest).toMatchObject({ errors: [], delivered: count });
    // Delays of 30, 60, 120 and 240 s, ±20%: over 12, 24, 48 and 96 s.
    const excess = [12, 24, 48, 96].map((seconds, step) => Math.max(0, (most[step] ?? count) - mostOf(seconds)));
    expect(excess).toEqual([0, 0, 0, 0]);
  });

  it.each([
    { name: "with a circuit", hasCircuit: true },
    { name: "with a circuit and a Retry-After", hasCircuit: true, retryAfterSeconds: 60 },
    { name: "with a Retry-After, even without a circuit", hasCircuit: false, retryAfterSeconds: 60 },
  ])("come back at the pace of a release $name", { timeout }, async ({ name: _name, ...given }) => {
    const { mostAfterwards, ...rest } = await playStampede({
      count,
      refuses: (_attempt, sinceMs) => sinceMs < firstAttemptsMs,
      ...given,
    });
    expect(rest).toMatchObject({ errors: [], delivered: count });
    // A release begins with 10 in its first second and grows by half: the last second has a third of all, or the most.
    expect(mostAfterwards).toBeLessThan(1.25 * Math.min(count / 3 + 10, mostPerSecond));
  });
});

describe("a flood of parked deliveries against a limit of 10 a second, with Retry-After", () => {
  it("is paced, waits as asked, and lets new events through", { timeout }, async () => {
    const count = isFull ? 20_000 : 2_000;
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
    expect(refusals.length).toBeLessThan(0.05 * count);
    const firstTries = requests.filter(({ eventId, attempt }) => attempt === 1 && fresh.has(eventId));
    expect(firstTries).toHaveLength(seconds);
    // Those that come during a pause wait for its end in the queue, not behind the backlog; some for one more.
    const waits = firstTries.map(({ eventId, atMs }) => atMs - (fresh.get(eventId) ?? 0)).toSorted((a, b) => a - b);
    expect(waits[Math.floor(0.5 * seconds)]).toBeLessThan(1_000);
    expect(waits[Math.floor(0.9 * seconds)]).toBeLessThan(15_000);
  });
});

describe("parked deliveries let go to a destination that answers slowly and refuses nothing", () => {
  it("stay parked until the queue gets to them, so that hardly any lie in it", { timeout }, async () => {
    const count = isFull ? 50_000 : 2_500;
    const relay = new CalmRelay({ destination: () => ({ afterMs: 4_000, status: 200 }) });
    relay.subscribe("dest");
    await parkMany(relay, "dest", count);
    await resume(relay, "dest");
    let most = 0;
    const watch = (): void => {
      most = Math.max(most, relay.open);
      if (relay.open > 0) relay.world.after(1_000, watch);
    };
    relay.world.after(500, watch);
    // Fifty invocations of ten take 125 a second, once there are so many of them.
    await runToEnd(relay, count / 125 + 60);
    expect([relay.errors, relay.deadLetters, statesOf(relay)]).toEqual([[], 0, new Set(["delivered"])]);
    // Five hundred are under way.
    expect(most).toBeLessThan(900);
  });
});
