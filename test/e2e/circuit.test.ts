import { setTimeout as wait } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { StatsView } from "../../functions/app/admin/view-schemas.js";
import { type Destination, startDestination } from "../support/destination.js";
import { isFinal, startRelay, type TestRelay } from "../support/relay.js";
import { gatedSource, numberOf, statusesOf } from "./gated-relay.js";

let relay: TestRelay;
let destinations: Destination[] = [];
beforeAll(async () => {
  relay = await startRelay();
});
afterAll(() => relay.close());
afterEach(async () => {
  await Promise.all(destinations.map((each) => each.close()));
  destinations = [];
});

async function aDestination(...given: Parameters<typeof startDestination>): Promise<Destination> {
  const destination = await startDestination(...given);
  destinations.push(destination);
  return destination;
}

/** A port that nobody listens on. */
async function refusingPort(): Promise<number> {
  const listening = await startDestination(200);
  await listening.close();
  return listening.port;
}

const circuit = { failureThreshold: 5, cooldownSeconds: 3, maxCooldownSeconds: 6 };
const policy = { schedule: { kind: "fixed", baseSeconds: 2 }, jitter: 0 };

describe("a destination that refuses connections for a while", () => {
  it("is not hammered, shows as an open circuit, and gets everything afterwards", async () => {
    const port = await refusingPort();
    const source = await gatedSource(relay, "while", { url: `http://127.0.0.1:${port}/hooks`, circuit, policy });
    await source.accept(6);
    const { openedAt } = await source.gateOnce((gate) => gate.circuit !== "closed");
    for (const endMs = Date.now() + 15_000; Date.now() < endMs; await wait(250)) await source.accept(2);
    const open = await source.gate();
    expect(["open", "half_open"]).toContain(open.circuit);
    expect(open).toMatchObject({ openedAt, holdsParked: true, release: null });
    expect(open.probes).toBeGreaterThan(1);
    const destination = await aDestination(200, { port });
    const closed = await source.gateOnce((gate) => gate.circuit === "closed");
    expect(closed).toMatchObject({ openedAt: null, nextProbeAt: null, probes: 0 });

    const deliveries = await source.deliveries(isFinal);
    expect(statusesOf(deliveries)).toEqual(new Set(["delivered"]));
    expect(new Set(destination.requests.map(numberOf)).size).toBe(source.eventIds.length);
    // The first failures, those under way meanwhile, and a probe every three seconds or so.
    const refused = deliveries.flatMap(({ attempts }) => attempts).filter(({ outcome }) => outcome === "retryable");
    expect(refused.length).toBeGreaterThanOrEqual(circuit.failureThreshold);
    expect(refused.length).toBeLessThan(35);
    expect(new Set(refused.map(({ error }) => error))).toEqual(new Set(["refused"]));
    const { queues } = await relay.admin<StatsView>("GET", "/admin/stats");
    expect(queues.deadLetter).toEqual({ visible: 0, delayed: 0, inFlight: 0 });
  }, 90_000);
});

describe("a subscription whose circuit is open", () => {
  it("goes on at another URL once it is changed: by the next probe, without being closed by the change", async () => {
    const port = await refusingPort();
    const destination = await aDestination(200);
    const url = `http://127.0.0.1:${port}/hooks`;
    const source = await gatedSource(relay, "moved", { url, circuit: { ...circuit, failureThreshold: 1 }, policy });
    await source.accept(1);
    await source.gateOnce((gate) => gate.circuit === "open");
    await source.accept(4);
    const changed = await relay.admin<{ gate: { circuit: string } }>("PATCH", source.path, {
      url: `${destination.url}/hooks`,
      circuit: { failureThreshold: 1, cooldownSeconds: 1, maxCooldownSeconds: 2 },
    });
    expect(changed.gate.circuit).not.toBe("closed");
    expect(statusesOf(await source.deliveries(isFinal))).toEqual(new Set(["delivered"]));
    expect(new Set(destination.requests.map(numberOf)).size).toBe(5);
  });
});

describe("a destination that answers 429 with Retry-After: 3", () => {
  it("gets nothing of its subscription for three seconds, and then everything", async () => {
    const seenAtMs: number[] = [];
    const destination = await aDestination(() => {
      seenAtMs.push(Date.now());
      return seenAtMs.length === 1 ? { status: 429, headers: { "retry-after": "3" } } : 200;
    });
    const source = await gatedSource(relay, "held", { url: `${destination.url}/hooks`, policy });
    await source.accept(1);
    const held = await source.gateOnce((gate) => gate.heldUntil !== null);
    expect(held.circuit).toBe("closed");
    await source.accept(10);
    expect(statusesOf(await source.deliveries(isFinal))).toEqual(new Set(["delivered"]));
    const [refusedAtMs = 0, ...later] = seenAtMs;
    expect(later).toHaveLength(11);
    expect(Math.min(...later) - refusedAtMs).toBeGreaterThanOrEqual(2_950);
    expect((await source.gate()).heldUntil).toBeNull();
  });
});

describe("a subscription with maxPerSecond 20", () => {
  it("gets a hundred events in no less than five seconds, each once", async () => {
    const seenAtMs: number[] = [];
    const destination = await aDestination(() => {
      seenAtMs.push(Date.now());
      return 200;
    });
    const source = await gatedSource(relay, "limited", { url: `${destination.url}/hooks`, maxPerSecond: 20 });
    await Promise.all(Array.from({ length: 10 }, () => source.accept(10)));
    const deliveries = await source.deliveries(isFinal);
    expect(statusesOf(deliveries)).toEqual(new Set(["delivered"]));
    expect(destination.requests).toHaveLength(100);
    // Slots are 50 ms apart; the first request may be late in its own.
    expect((seenAtMs.at(-1) ?? 0) - (seenAtMs[0] ?? 0)).toBeGreaterThan(4_000);
  });
});
