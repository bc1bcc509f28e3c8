import { describe, expect, it } from "vitest";
import { processTick } from "../../../functions/app/control/tick.js";
import { decodeTick } from "../../../functions/app/messages.js";
import type { OpenSubscription } from "../../../functions/app/ports.js";
import { nextGeneration } from "../../../functions/core/gate.js";
import type { Gate } from "../../../functions/core/model.js";
import { withTick } from "../../../functions/core/ticks.js";
import { aGate, anEvent, aRelease, aSubscription } from "../../support/builders.js";
import { type Answer, memoryRelay } from "../../support/memory-relay.js";

type Relay = ReturnType<typeof memoryRelay>;

/** A relay whose only subscription is paused, with `count` deliveries parked at it. */
async function pausedRelay(count: number, subscription: Partial<OpenSubscription> = {}, answers: Answer[] = []) {
  const relay = memoryRelay({ subscriptions: [aSubscription(subscription)], answers });
  relay.gates.set("sub_a", aGate({ status: "paused", generation: 1 }));
  const events = Array.from({ length: count }, (_value, index) => {
    const eventId = `evt_${String(index).padStart(26, "0")}`;
    return anEvent(undefined, { eventId, receivedAtMs: relay.clock.now() + index });
  });
  for (const event of events) await relay.accept(event);
  while ((await relay.invoke()) > 0);
  expect(relay.requests).toHaveLength(0);
  return { relay, events };
}

const gateOf = (relay: Relay): Gate => relay.gates.get("sub_a") ?? aGate();
const change = (relay: Relay, next: (gate: Gate) => Gate) => relay.gates.set("sub_a", next(gateOf(relay)));
const active = { status: "active", statusReason: null } as const;

/** The gate opens, and its first tick is due. */
function resume(relay: Relay): void {
  change(relay, (gate) => withTick(nextGeneration(gate, active, relay.clock.now()), relay.clock.now()));
}

/** The gate's next tick, or another one, as a message. */
function run(relay: Relay, given: { seq?: number | null; generation?: number; messageId?: string } = {}) {
  const gate = gateOf(relay);
  const { seq = gate.tick?.seq ?? null, generation = gate.generation, messageId = `tick-${seq}` } = given;
  return processTick(relay.ticks, { v: 1, kind: "tick", subscriptionId: "sub_a", seq, generation }, messageId);
}

/** Ticks on the control queue, with the seconds until they come. */
const waiting = (relay: Relay) =>
  [...relay.queue.control.messages.values()].map(({ body, visibleAtMs }) => ({
    ...decodeTick(body),
    seconds: Math.round((visibleAtMs - relay.clock.now()) / 1000),
  }));

const sentEvents = (relay: Relay) =>
  relay.requests.map(({ headers }) => headers.find(([name]) => name === "steadyhook-event-id")?.[1]);

describe("a release", () => {
  it("lets go what was parked in the order in which it was received, second by second, then looks once more", async () => {
    const { relay, events } = await pausedRelay(45);
    resume(relay);
    const pages: number[] = [];
    const delays: (number | undefined)[] = [];
    for (let ticks = 0; gateOf(relay).tick?.dueAtMs !== null && ticks < 20; ticks++) {
      const before = relay.queue.delivery.messages.size;
      await run(relay);
      pages.push(relay.queue.delivery.messages.size - before);
      while ((await relay.invoke()) > 0);
      const [next] = waiting(relay);
      relay.queue.control.messages.clear();
      delays.push(next?.seconds);
      relay.clock.advance(next?.seconds ?? 0);
    }
    // Ten in the first second, half as many again in each one after it; the second pass finds nothing.
    expect(pages).toEqual([10, 15, 20, 0, 0]);
    expect(delays).toEqual([1, 1, 1, 30, undefined]);
    expect(sentEvents(relay)).toEqual(events.map(({ eventId }) => eventId));
    expect(events.every((event) => relay.delivery(event).status === "delivered")).toBe(true);
    expect(gateOf(relay)).toMatchObject({ holdsParked: false, release: { released: 45 } });
  });

  it("finds in its second pass what was parked while it began, and is over after it all the same", async () => {
    const { relay } = await pausedRelay(1);
    resume(relay);
    await run(relay);
    // Its messages are still on their way: the delivery is parked until its claim.
    relay.queue.delivery.messages.clear();
    await run(relay);
    expect(gateOf(relay).release).toMatchObject({ lastPass: true, after: null });
    relay.clock.advance(30);
    await run(relay);
    expect(relay.queue.delivery.messages.size).toBe(1);
    relay.clock.advance(1);
    await run(relay);
    expect(gateOf(relay)).toMatchObject({ holdsParked: true, tick: { dueAtMs: null } });
    expect(gateOf(relay).release?.endedAtMs).toBe(relay.clock.now());
  });

  it("is stopped by a gate that closes, and belongs to its generation", async () => {
    const { relay } = await pausedRelay(30);
    resume(relay);
    await run(relay);
    const { tick, generation } = gateOf(relay);
    const paused = { status: "paused", statusReason: "operator" } as const;
    change(relay, (gate) => nextGeneration(gate, paused, relay.clock.now()));
    relay.clock.advance(1);
    relay.queue.control.messages.clear();
    await run(relay, { seq: tick?.seq ?? null, generation });
    expect(relay.queue.delivery.messages.size).toBe(10);
    expect(waiting(relay)).toEqual([]);
    // What was let go already is held again, by its claim.
    await relay.runToEnd();
    expect(relay.requests).toHaveLength(0);
    expect([...relay.deliveries.deliveries.values()].every(({ status }) => status === "parked")).toBe(true);
  });

  it("goes no faster than maxPerSecond, and takes the slots that new events leave", async () => {
    const { relay } = await pausedRelay(30, { maxPerSecond: 4 });
    resume(relay);
    await run(relay);
    expect(relay.queue.delivery.messages.size).toBe(4);
    change(relay, (gate) => ({ ...gate, nextFreeAtMs: relay.clock.now() + 3_000 }));
    relay.clock.advance(1);
    await run(relay);
    expect(relay.queue.delivery.messages.size).toBe(4);
    // Its next page comes when there is a slot again.
    expect(gateOf(relay).tick?.dueAtMs).toBe(relay.clock.now() + 1_264);
  });

  it("follows what the destination takes: half after much is refused", async () => {
    const { relay } = await pausedRelay(200);
    resume(relay);
    await run(relay);
    relay.clock.advance(1);
    const counts = { inARow: 0, failures: 9, attempts: 10, minute: 0, minuteAttempts: 10, minuteFailures: 9 };
    change(relay, (gate) => ({ ...gate, counts }));
    const before = relay.queue.delivery.messages.size;
    await run(relay);
    expect(relay.queue.delivery.messages.size - before).toBe(5);
  });

  it("lets nothing go while the queue has not got to the greater part of the last page, and goes on slower", async () => {
    const { relay } = await pausedRelay(60);
    resume(relay);
    const sent: number[] = [];
    const tickAndLetGo = async (): Promise<void> => {
      const before = relay.queue.delivery.messages.size;
      await run(relay);
      sent.push(relay.queue.delivery.messages.size - before);
      relay.clock.advance(1);
    };
    await tickAndLetGo();
    await tickAndLetGo();
    await relay.invoke();
    await tickAndLetGo();
    // Nobody attempts anything any more: in the end the first pace goes on all the same.
    for (let seconds = 0; seconds < 5; seconds++) await tickAndLetGo();
    expect(sent).toEqual([10, 0, 13, 0, 0, 0, 0, 9]);
  });

  it("leaves a retry that is not due yet to its time", async () => {
    const { relay, events } = await pausedRelay(1);
    const [event] = events;
    const delivery = relay.delivery(event);
    const nextAttemptAtMs = relay.clock.now() + 40_000;
    relay.deliveries.deliveries.set(delivery.deliveryId, { ...delivery, attemptsStarted: 1, nextAttemptAtMs });
    resume(relay);
    await run(relay);
    const [message] = relay.queue.delivery.messages.values();
    expect(message?.visibleAtMs).toBe(nextAttemptAtMs);
  });
});

describe("a tick", () => {
  it("that is handed out twice lets nothing go twice", async () => {
    const { relay } = await pausedRelay(30);
    resume(relay);
    const seq = gateOf(relay).tick?.seq ?? null;
    await run(relay, { seq, messageId: "first" });
    await run(relay, { seq, messageId: "a copy under another id" });
    expect(relay.queue.delivery.messages.size).toBe(10);
    expect(waiting(relay)).toHaveLength(1);
  });

  it("of a chain that was replaced does nothing", async () => {
    const { relay } = await pausedRelay(30);
    resume(relay);
    const old = gateOf(relay).tick?.seq ?? null;
    change(relay, (gate) => withTick(gate, relay.clock.now()));
    await run(relay, { seq: old });
    expect(relay.queue.delivery.messages.size).toBe(0);
    expect(waiting(relay)).toEqual([]);
  });

  it("comes back after its function died between its write and its sends, and sends the same page", async () => {
    const { relay, events } = await pausedRelay(30);
    resume(relay);
    await run(relay);
    while ((await relay.invoke()) > 0);
    relay.clock.advance(1);
    const { sendDeliveries } = relay.queue;
    relay.queue.sendDeliveries = () => Promise.reject(new Error("the function is gone"));
    const seq = gateOf(relay).tick?.seq ?? null;
    await expect(run(relay, { seq, messageId: "mine" })).rejects.toThrow();
    relay.queue.sendDeliveries = sendDeliveries;
    relay.queue.control.messages.clear();
    expect(relay.queue.delivery.messages.size).toBe(0);
    await run(relay, { seq, messageId: "somebody else's" });
    expect(relay.queue.delivery.messages.size).toBe(0);
    await run(relay, { seq, messageId: "mine" });
    expect(relay.queue.delivery.messages.size).toBe(15);
    expect(waiting(relay)).toMatchObject([{ seq: (seq ?? 0) + 1 }]);
    await relay.runToEnd();
    expect(sentEvents(relay)).toEqual(events.map(({ eventId }) => eventId));
  });

  it("that is early is sent on for the rest, in hops of 900 s at the most", async () => {
    const { relay } = await pausedRelay(1);
    resume(relay);
    change(relay, (gate) => withTick(gate, relay.clock.now() + 1_000_000));
    await run(relay);
    expect(relay.queue.delivery.messages.size).toBe(0);
    expect(waiting(relay)).toMatchObject([{ seq: gateOf(relay).tick?.seq, seconds: 900 }]);
    relay.queue.control.messages.clear();
    relay.clock.advance(900);
    await run(relay);
    expect(waiting(relay)).toMatchObject([{ seconds: 100 }]);
  });

  it("that only asks for ticks sets a chain going where none is, once", async () => {
    const { relay } = await pausedRelay(30);
    change(relay, (gate) => nextGeneration(gate, active, relay.clock.now()));
    await run(relay, { seq: null, messageId: "asks" });
    expect(relay.queue.delivery.messages.size).toBe(10);
    await run(relay, { seq: null, messageId: "asks too" });
    await run(relay, { seq: null, generation: 1, messageId: "of an earlier generation" });
    expect(relay.queue.delivery.messages.size).toBe(10);
    expect(waiting(relay)).toHaveLength(1);
  });

  it("gives up after it lost to others again and again, and comes back", async () => {
    const { relay } = await pausedRelay(1);
    resume(relay);
    const { gates } = relay.ticks;
    const losing = {
      ...relay.ticks,
      gates: { ...gates, find: gates.find.bind(gates), replaceGate: async () => false },
    };
    const message = { v: 1, kind: "tick", subscriptionId: "sub_a", seq: 1, generation: 2 } as const;
    await expect(processTick(losing as unknown as typeof relay.ticks, message, "a-tick")).rejects.toThrow(
      "kept moving",
    );
  });

  it("of a subscription or a gate that is no more does nothing", async () => {
    const { relay } = await pausedRelay(1);
    resume(relay);
    relay.subscriptions.clear();
    await run(relay);
    relay.gates.clear();
    await run(relay);
    expect(relay.queue.delivery.messages.size).toBe(0);
  });

  it("lets what is parked at a deleted gate go without regard to rate or pace limits of the subscription", async () => {
    const { relay, events } = await pausedRelay(12, { maxPerSecond: 0.1 });
    const deleted = { status: "disabled", statusReason: "deleted" } as const;
    change(relay, (gate) => withTick(nextGeneration(gate, deleted, relay.clock.now()), relay.clock.now()));
    await run(relay);
    expect(relay.queue.delivery.messages.size).toBe(10);
    await relay.runToEnd();
    const reasons = events.map((event) => relay.delivery(event).deadLetterReason);
    expect(new Set(reasons)).toEqual(new Set(["subscription_deleted"]));
    expect(relay.requests).toHaveLength(0);
  });
});

describe("a tick at an open circuit", () => {
  /** Deliveries are parked at a circuit that opened a minute ago, and it is time for a probe. */
  async function openRelay(attemptsStarted: readonly number[], maxAttempts = 3) {
    const { policy } = aSubscription();
    const answers: Answer[] = Array.from({ length: 50 }, () => 503);
    const found = await pausedRelay(attemptsStarted.length, { policy: { ...policy, maxAttempts } }, answers);
    const { relay, events } = found;
    for (const [index, started] of attemptsStarted.entries()) {
      const delivery = relay.delivery(events[index]);
      relay.deliveries.deliveries.set(delivery.deliveryId, { ...delivery, attemptsStarted: started });
    }
    const openedAtMs = relay.clock.now();
    relay.clock.advance(30);
    const circuit = { openedAtMs, probeAtMs: relay.clock.now(), probes: 0, refusedProbes: 0 };
    change(relay, (gate) => withTick({ ...nextGeneration(gate, active, openedAtMs), circuit }, relay.clock.now()));
    return found;
  }
  const probedAttempts = (relay: Relay) => {
    const id = gateOf(relay).circuit?.probe?.deliveryId;
    return relay.deliveries.deliveries.get(id ?? "")?.attemptsStarted;
  };

  it("probes with the delivery that has the fewest attempts, and comes again after the probe's lease", async () => {
    const { relay } = await openRelay([1, 0, 2]);
    await run(relay);
    expect(probedAttempts(relay)).toBe(0);
    expect(relay.queue.delivery.messages.size).toBe(1);
    expect(gateOf(relay).tick?.dueAtMs).toBe(relay.clock.now() + 181_000);
    expect(gateOf(relay).circuit).toMatchObject({ probes: 1, probedAtMs: relay.clock.now() });
  });

  it("makes no second probe while one is under way, and another one when that is waited for in vain", async () => {
    const { relay } = await openRelay([0, 0]);
    await run(relay);
    relay.clock.advance(60);
    await run(relay);
    expect(gateOf(relay).circuit?.probes).toBe(1);
    relay.clock.set(gateOf(relay).tick?.dueAtMs ?? 0);
    relay.queue.delivery.messages.clear();
    await run(relay);
    expect(gateOf(relay).circuit?.probes).toBe(2);
    expect(relay.queue.delivery.messages.size).toBe(1);
  });

  it("waits for the cooldown", async () => {
    const { relay } = await openRelay([0]);
    const probeAtMs = relay.clock.now() + 20_000;
    change(relay, (gate) => ({ ...gate, circuit: { ...(gate.circuit as NonNullable<Gate["circuit"]>), probeAtMs } }));
    await run(relay);
    expect(relay.queue.delivery.messages.size).toBe(0);
    expect(gateOf(relay).tick?.dueAtMs).toBe(probeAtMs);
  });

  it("takes a last attempt only when there is no other, and then rarely", async () => {
    const { relay } = await openRelay([2, 2]);
    await run(relay);
    // The outage is younger than a minute.
    expect(relay.queue.delivery.messages.size).toBe(0);
    relay.clock.advance(60);
    await run(relay);
    expect(probedAttempts(relay)).toBe(2);
    expect(relay.queue.delivery.messages.size).toBe(1);
  });

  it("passes over those whose time budget is nearly over, however many, and finds one behind them", async () => {
    const { policy } = aSubscription();
    const { relay, events } = await pausedRelay(502, { policy: { ...policy, maxAgeSeconds: 60 } });
    const openedAtMs = relay.clock.now();
    relay.clock.advance(30);
    // All of them are half a minute from their end, but for the last one.
    const late = relay.delivery(events.at(-1));
    relay.deliveries.deliveries.delete(late.deliveryId);
    await relay.deliveries.replaceDelivery(null, { ...late, receivedAtMs: relay.clock.now() - 10_000 });
    const circuit = { openedAtMs, probeAtMs: relay.clock.now() + 1_000, probes: 0, refusedProbes: 0 };
    change(relay, (gate) => withTick({ ...nextGeneration(gate, active, openedAtMs), circuit }, circuit.probeAtMs));
    relay.clock.advance(1);
    await run(relay);
    expect(gateOf(relay).circuit?.probe?.deliveryId).toBe(late.deliveryId);
  });

  it("finds a replay, whose time budget begins later than its event was received", async () => {
    const { policy } = aSubscription();
    const { relay, events } = await pausedRelay(1, { policy: { ...policy, maxAgeSeconds: 60 } });
    relay.clock.advance(3_600);
    const openedAtMs = relay.clock.now();
    const original = relay.delivery(events[0]);
    const parkedUntilMs = openedAtMs + 60_000;
    const replay = { ...original, deliveryId: "dlv_r", replayOf: original.deliveryId, createdAtMs: openedAtMs };
    await relay.deliveries.replaceDelivery(null, { ...replay, parkedUntilMs });
    const circuit = { openedAtMs, probeAtMs: openedAtMs, probes: 0, refusedProbes: 0 };
    change(relay, (gate) => withTick({ ...nextGeneration(gate, active, openedAtMs), circuit }, openedAtMs));
    await run(relay);
    expect(gateOf(relay).circuit?.probe?.deliveryId).toBe("dlv_r");
  });

  it("goes on ticking where nothing is parked", async () => {
    const { relay } = await openRelay([]);
    await run(relay);
    expect(gateOf(relay).circuit?.probes).toBe(0);
    expect(gateOf(relay).tick?.dueAtMs).toBeGreaterThan(relay.clock.now());
    expect(waiting(relay)).toHaveLength(1);
  });

  it("sends the probe's message again when its function died between its write and its send", async () => {
    const { relay } = await openRelay([0]);
    const { sendDeliveries } = relay.queue;
    relay.queue.sendDeliveries = () => Promise.reject(new Error("the function is gone"));
    await expect(run(relay, { seq: 1, messageId: "mine" })).rejects.toThrow();
    relay.queue.sendDeliveries = sendDeliveries;
    await run(relay, { seq: 1, messageId: "mine" });
    expect(relay.queue.delivery.messages.size).toBe(1);
    expect(gateOf(relay).circuit?.probes).toBe(1);
  });

  it("does nothing at a gate that is paused: the resume sets new ticks going", async () => {
    const { relay } = await openRelay([0]);
    change(relay, (gate) => ({ ...gate, status: "paused" }));
    await run(relay);
    expect(relay.queue.delivery.messages.size).toBe(0);
    expect(waiting(relay)).toEqual([]);
  });
});

describe("a tick while the destination asked for a pause", () => {
  it("comes again when the pause is over, and then lets go", async () => {
    const { relay } = await pausedRelay(1);
    resume(relay);
    change(relay, (gate) => ({ ...gate, heldUntilMs: relay.clock.now() + 20_000 }));
    await run(relay);
    expect(relay.queue.delivery.messages.size).toBe(0);
    expect(gateOf(relay).tick?.dueAtMs).toBe(relay.clock.now() + 20_000);
    relay.clock.advance(20);
    await run(relay);
    expect(relay.queue.delivery.messages.size).toBe(1);
  });
});

describe("a release that has ended", () => {
  it("begins the next one at half of what it came to", async () => {
    const { relay } = await pausedRelay(100);
    const last = aRelease(0, { endedAtMs: 1, pace: { ...aRelease(0).pace, perSecond: 80 } });
    resume(relay);
    change(relay, (gate) => ({ ...gate, release: last }));
    await run(relay);
    expect(relay.queue.delivery.messages.size).toBe(40);
  });
});

describe("the gauge of open circuits", () => {
  it("has a value at each tick, one that comes long before its probe, too", async () => {
    const { relay } = await pausedRelay(1);
    const openedAtMs = relay.clock.now();
    const circuit = { openedAtMs, probeAtMs: openedAtMs + 7_200_000, probes: 0, refusedProbes: 0 };
    change(relay, (gate) => withTick({ ...nextGeneration(gate, active, openedAtMs), circuit }, circuit.probeAtMs));
    relay.clock.advance(900);
    await run(relay);
    expect(relay.metrics.values.OldestOpenCircuitSeconds).toEqual([900]);
    expect(waiting(relay).map(({ seconds }) => seconds)).toEqual([900]);
  });
});
