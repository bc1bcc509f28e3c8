import { describe, expect, it } from "vitest";
import { circuitState } from "../../../functions/core/circuit.js";
import { anEvent, aPolicy, aRelease, aSubscription } from "../../support/builders.js";
import { memoryRelay } from "../../support/memory-relay.js";

type Relay = ReturnType<typeof memoryRelay>;

const eventNumber = (relay: Relay, number: number) =>
  anEvent(undefined, { eventId: `evt_${String(number).padStart(26, "0")}`, receivedAtMs: relay.clock.now() });

async function accept(relay: Relay, from: number, count: number) {
  const events = Array.from({ length: count }, (_value, index) => eventNumber(relay, from + index));
  for (const event of events) await relay.accept(event);
  return events;
}

/** Works off everything that is visible now, without moving the clock. */
async function settle(relay: Relay): Promise<void> {
  while ((await relay.invoke()) > 0);
}

const statuses = (relay: Relay) => [...relay.deliveries.deliveries.values()].map(({ status }) => status);
const gateOf = (relay: Relay) => {
  const gate = relay.gates.get("sub_a");
  if (gate === undefined) throw new Error("no gate");
  return gate;
};
const stateOf = (relay: Relay) => circuitState(gateOf(relay), relay.clock.now());

const failing = (count: number) => Array.from({ length: count }, () => 503);

describe("a circuit", () => {
  it("opens after so many failures in a row, parks what comes then, and makes no request for it", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers: failing(100) });
    await accept(relay, 1, 5);
    await settle(relay);
    expect(stateOf(relay)).toBe("open");
    expect(relay.logged).toContainEqual(expect.objectContaining({ message: "circuit opened" }));
    await accept(relay, 6, 20);
    await settle(relay);
    expect(relay.requests).toHaveLength(5);
    expect(statuses(relay).filter((status) => status === "parked")).toHaveLength(20);
    expect(relay.delivery(eventNumber(relay, 6)).attempts).toEqual([]);
  });

  it("is probed after its cooldown, one request at a time, ever more rarely, and no delivery dies of it", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers: failing(10_000) });
    await accept(relay, 1, 300);
    await settle(relay);
    const openedAtMs = relay.clock.now();
    const made = relay.requests.length;
    const probesAtMs: number[] = [];
    while (relay.clock.now() < openedAtMs + 6 * 3_600_000) {
      const before = relay.requests.length;
      await relay.tick();
      await settle(relay);
      if (relay.requests.length > before) probesAtMs.push(relay.clock.now() - openedAtMs);
      relay.clock.advance(1);
    }
    expect(relay.requests.length - made).toBeLessThan(120);
    expect(probesAtMs[0]).toBeGreaterThanOrEqual(12_000);
    const gaps = probesAtMs.slice(1).map((at, index) => at - (probesAtMs[index] ?? 0));
    expect(Math.max(...gaps)).toBeLessThan(900_000 * 1.25);
    expect(statuses(relay)).not.toContain("dead_lettered");
  });

  it("closes when a probe is delivered, and lets everything go", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers: failing(7) });
    const events = await accept(relay, 1, 200);
    await relay.runToEnd();
    expect(stateOf(relay)).toBe("closed");
    expect(events.map((event) => relay.delivery(event).status)).toEqual(events.map(() => "delivered"));
    expect(relay.requests.length).toBeLessThan(220);
    expect(gateOf(relay).holdsParked).toBe(false);
  });

  it.each([
    ["a pattern of 19 failures, a success and 19 failures", [...failing(19), 200, ...failing(19)], "closed"],
    ["20 failures in a row after a success", [...failing(19), 200, ...failing(20)], "open"],
  ])("counts per attempt, and any success resets the count: %s", async (_what, answers, expected) => {
    const circuit = { ...aSubscription().circuit, failureThreshold: 20 };
    const policy = aPolicy({ schedule: { kind: "fixed", baseSeconds: 86_400 } });
    const relay = memoryRelay({ subscriptions: [aSubscription({ circuit, policy })], answers });
    for (let number = 1; number <= answers.length; number++) {
      await accept(relay, number, 1);
      await settle(relay);
      relay.clock.advance(0.05);
    }
    expect(stateOf(relay)).toBe(expected);
  });

  it("opens on the first failure where the threshold is one, and skips are no attempts", async () => {
    const circuit = { ...aSubscription().circuit, failureThreshold: 1 };
    const relay = memoryRelay({ subscriptions: [aSubscription({ circuit })], answers: [503] });
    await accept(relay, 1, 1);
    await settle(relay);
    await accept(relay, 2, 10);
    await settle(relay);
    expect(relay.requests).toHaveLength(1);
    await relay.runToEnd();
    expect(new Set(statuses(relay))).toEqual(new Set(["delivered"]));
    expect(relay.requests).toHaveLength(12);
  });

  it("is none of a refusal's business: what is refused for good neither counts nor resets", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers: [503, 503, 422, 503, 503, 422, 503] });
    for (let number = 1; number <= 6; number++) {
      await accept(relay, number, 1);
      await settle(relay);
    }
    expect(stateOf(relay)).toBe("closed");
    await accept(relay, 7, 1);
    await settle(relay);
    expect(stateOf(relay)).toBe("open");
  });
});

describe("a last attempt during a release", () => {
  it("is parked until the rush is over, and made then", async () => {
    const policy = aPolicy({ maxAttempts: 2, schedule: { kind: "fixed", baseSeconds: 5 }, jitter: 0 });
    const relay = memoryRelay({ subscriptions: [aSubscription({ policy })], answers: failing(1) });
    await accept(relay, 1, 1);
    await settle(relay);
    const release = aRelease(relay.clock.now());
    const tick = { seq: 1, generation: 0, dueAtMs: relay.clock.now() + 20_000, by: null };
    relay.gates.set("sub_a", { ...gateOf(relay), release, tick, holdsParked: true });
    relay.clock.advance(6);
    await settle(relay);
    expect(statuses(relay)).toEqual(["parked"]);
    relay.clock.advance(14);
    await relay.context.control.sendTick({ v: 1, kind: "tick", subscriptionId: "sub_a", seq: 1, generation: 0 }, 0);
    await relay.tick();
    await settle(relay);
    expect(relay.requests).toHaveLength(1);
    await relay.runToEnd();
    expect(statuses(relay)).toEqual(["delivered"]);
    expect(relay.requests).toHaveLength(2);
  });
});

describe("a destination that asks for a pause", () => {
  it("gets nothing of the whole subscription before that, and then all of it", async () => {
    const answers = [{ status: 429, headers: [["retry-after", "60"]] as const }];
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers });
    await accept(relay, 1, 1);
    await settle(relay);
    const heldAtMs = relay.clock.now();
    await accept(relay, 2, 30);
    await settle(relay);
    expect(relay.requests).toHaveLength(1);
    const seenAtMs: number[] = [];
    const { send } = relay.context.sender;
    (relay.context as { sender: typeof relay.context.sender }).sender = {
      send: (request) => {
        seenAtMs.push(relay.clock.now());
        return send(request);
      },
    };
    await relay.runToEnd();
    expect(Math.min(...seenAtMs) - heldAtMs).toBeGreaterThanOrEqual(60_000);
    expect(new Set(statuses(relay))).toEqual(new Set(["delivered"]));
  });
});

describe("a subscription with maxPerSecond", () => {
  it.each([5, 100])("gets no more than that, and what is above waits once: %s", async (maxPerSecond) => {
    const relay = memoryRelay({ subscriptions: [aSubscription({ maxPerSecond })] });
    const count = maxPerSecond * 20;
    await accept(relay, 1, count);
    const seenAtMs: number[] = [];
    const { send } = relay.context.sender;
    (relay.context as { sender: typeof relay.context.sender }).sender = {
      send: (request) => {
        seenAtMs.push(relay.clock.now());
        return send(request);
      },
    };
    const startMs = relay.clock.now();
    await relay.runToEnd();
    expect(relay.requests).toHaveLength(count);
    // A batch's waits are over together here: seconds say nothing, but ten of them do.
    const inTenSeconds = [0, 1].map((window) =>
      seenAtMs.filter((at) => Math.floor((at - startMs) / 10_000) === window),
    );
    for (const seen of inTenSeconds) expect(seen.length).toBeLessThanOrEqual(10 * maxPerSecond * 1.1);
    expect((relay.clock.now() - startMs) / 1000).toBeLessThan(22 * 1.1);
  });

  it("parks what would wait for longer than a message can, and releases it at the same rate", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription({ maxPerSecond: 0.1 })] });
    await accept(relay, 1, 120);
    await settle(relay);
    await relay.runToEnd();
    expect(relay.requests).toHaveLength(120);
    expect(new Set(statuses(relay))).toEqual(new Set(["delivered"]));
  });
});
