import { describe, expect, it } from "vitest";
import { MemoryDueList } from "../../../functions/adapters/memory/memory-due-list.js";
import { type RunSweepContext, runSweep } from "../../../functions/app/control/run-sweep.js";
import { sweep } from "../../../functions/app/control/sweep.js";
import type { TickMessage } from "../../../functions/app/ports.js";
import { aGate, anEvent, aPolicy, aSubscription } from "../../support/builders.js";
import { dyingDuringSends, memoryRelay } from "../../support/memory-relay.js";

type Relay = ReturnType<typeof memoryRelay>;

/** A sweep over a relay in memory, with what it sent to the control queue. */
function sweeperOf(relay: Relay) {
  const ticks: TickMessage[] = [];
  const context = {
    ...relay.context,
    dueList: new MemoryDueList(relay.deliveries, relay.gates),
    control: { sendTick: async (message: TickMessage) => void ticks.push(message) },
  };
  const run = () => sweep(context, Number.POSITIVE_INFINITY);
  return { context, run, ticks };
}

/** Takes every message off the queue, and every schedule: as if they had been lost. */
function loseMessages(relay: Relay): void {
  relay.queue.delivery.messages.clear();
}

const minutes = (count: number) => count * 60;

describe("a sweep", () => {
  it("sends again what is overdue and has no message, and the delivery goes on", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers: [503, 200] });
    await relay.accept();
    await relay.invoke();
    loseMessages(relay);
    relay.clock.advance(minutes(6));
    const { run } = sweeperOf(relay);
    expect(await run()).toMatchObject({ resent: 1, oldestOverdueSeconds: 350, complete: true });
    await relay.runToEnd();
    expect(relay.delivery()).toMatchObject({ status: "delivered", attemptsStarted: 2 });
  });

  it("leaves alone what is due, but may still come by itself", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers: [503] });
    await relay.accept();
    await relay.invoke();
    relay.clock.advance(minutes(5));
    expect(await sweeperOf(relay).run()).toMatchObject({ resent: 0 });
  });

  it("takes over a later attempt whose function and whose message are both gone", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers: [503, 200, 200] });
    await relay.accept();
    await relay.invoke();
    relay.clock.advance(10);
    const { revive } = dyingDuringSends(relay);
    await relay.invoke();
    revive();
    loseMessages(relay);
    expect(relay.delivery()).toMatchObject({ status: "attempting", attemptsStarted: 2 });
    relay.clock.advance(minutes(10));
    expect(await sweeperOf(relay).run()).toMatchObject({ resent: 1 });
    await relay.runToEnd();
    const outcomes = relay.delivery().attempts.map((attempt) => attempt.outcome);
    expect(outcomes).toEqual(["retryable", "unknown", "delivered"]);
  });

  it("does not multiply the messages of a backlog: each look is later than the one before", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers: [503, 200] });
    await relay.accept();
    await relay.invoke();
    const { run } = sweeperOf(relay);
    const sentAtMinutes: number[] = [];
    // The queue is 60 minutes behind, and the sweeper runs every five.
    for (let minute = 0; minute <= 60; minute += 5) {
      if ((await run()).resent > 0) sentAtMinutes.push(minute);
      relay.clock.advance(minutes(5));
    }
    expect(sentAtMinutes).toEqual([10, 20, 40]);
    await relay.runToEnd();
    expect(relay.requests).toHaveLength(2);
    expect(relay.delivery()).toMatchObject({ status: "delivered", attemptsStarted: 2 });
  });

  it("starts a release where parked deliveries meet an open gate, and not at a closed one", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()] });
    relay.gates.set("sub_a", aGate({ status: "paused", generation: 1 }));
    await relay.accept();
    await relay.runToEnd();
    expect(relay.gates.get("sub_a")?.holdsParked).toBe(true);
    const { run, ticks } = sweeperOf(relay);
    expect(await run()).toMatchObject({ released: 0 });
    relay.gates.set("sub_a", aGate({ status: "active", generation: 2, holdsParked: true }));
    relay.clock.advance(minutes(6));
    expect(await run()).toMatchObject({ released: 1 });
    expect(ticks).toMatchObject([{ subscriptionId: "sub_a", generation: 2, seq: 1 }]);
  });

  it.each([
    ["max_age", aPolicy({ maxAgeSeconds: 3600 }), 3700],
    ["retention", aPolicy(), 23 * 86_400 + 100],
  ])("sees to it that a parked delivery ends (%s), whatever its gate does", async (reason, policy, afterSeconds) => {
    const relay = memoryRelay({ subscriptions: [aSubscription({ policy })] });
    relay.gates.set("sub_a", aGate({ status: "paused" }));
    await relay.accept();
    await relay.runToEnd();
    const { run } = sweeperOf(relay);
    expect(await run()).toMatchObject({ ended: 0 });
    relay.clock.advance(afterSeconds);
    expect(await run()).toMatchObject({ ended: 1 });
    await relay.runToEnd();
    expect(relay.delivery()).toMatchObject({ status: "dead_lettered", deadLetterReason: reason });
    expect(relay.requests).toHaveLength(0);
  });

  it("announces the end of a wait ever more rarely, too, while nobody comes for it", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription({ policy: aPolicy({ maxAgeSeconds: 3600 }) })] });
    relay.gates.set("sub_a", aGate({ status: "paused" }));
    await relay.accept();
    await relay.runToEnd();
    relay.clock.advance(minutes(60));
    const { run } = sweeperOf(relay);
    let sent = 0;
    for (let minute = 0; minute <= 120; minute += 5) {
      sent += (await run()).ended;
      relay.clock.advance(minutes(5));
    }
    expect(sent).toBe(6);
  });

  it("never sends anything twice over a healthy relay", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers: [503, 200] });
    await relay.accept(anEvent());
    await relay.runToEnd();
    relay.clock.advance(minutes(60));
    expect(await sweeperOf(relay).run()).toMatchObject({ resent: 0, released: 0, ended: 0 });
  });
});

describe("sweeps by the clock", () => {
  it("run one at a time: one that finds another running does nothing", async () => {
    const relay = memoryRelay({ subscriptions: [] });
    let heldUntilMs = 0;
    const lease: RunSweepContext["lease"] = {
      take: async (nowMs, untilMs) => {
        if (heldUntilMs > nowMs) return false;
        heldUntilMs = untilMs;
        return true;
      },
      release: async () => {
        heldUntilMs = 0;
      },
    };
    const parkedSample = { soonestToEnd: async () => [] };
    const context = { ...sweeperOf(relay).context, lease, parkedSample };
    await Promise.all([runSweep(context, 60_000), runSweep(context, 60_000)]);
    expect(relay.logged.map((line) => line.message)).toEqual(["sweep skipped: another one is running", "sweep"]);
    await runSweep(context, 60_000);
    expect(relay.logged.at(-1)?.message).toBe("sweep");
  });

  const alone: RunSweepContext["lease"] = { take: async () => true, release: async () => {} };

  it("count what they healed, and show how long it had been overdue", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers: [503] });
    await relay.accept();
    await relay.invoke();
    loseMessages(relay);
    relay.clock.advance(minutes(6));
    const context = { ...sweeperOf(relay).context, lease: alone, parkedSample: { soonestToEnd: async () => [] } };
    await runSweep(context, 60_000);
    await runSweep(context, 60_000);
    expect(relay.metrics.counts.Swept).toBe(1);
    // 0 when nothing is overdue: that there is a value at all says that the relay is swept.
    expect(relay.metrics.values).toMatchObject({ OldestOverdueSeconds: [350, 0], OldestParkedSeconds: [0, 0] });
  });

  it("show how long the oldest parked delivery has waited, and go without it when that cannot be read", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()] });
    relay.gates.set("sub_a", aGate({ status: "paused" }));
    const event = await relay.accept();
    await relay.invoke();
    relay.clock.advance(minutes(90));
    const { deliveryId } = relay.delivery(event);
    const parkedSample = { soonestToEnd: async () => [deliveryId, "dlv_gone"] };
    await runSweep({ ...sweeperOf(relay).context, lease: alone, parkedSample }, 60_000);
    expect(relay.metrics.values.OldestParkedSeconds).toEqual([5_400]);
    const broken = { soonestToEnd: () => Promise.reject(new Error("throttled")) };
    await runSweep({ ...sweeperOf(relay).context, lease: alone, parkedSample: broken }, 60_000);
    expect(relay.metrics.values).toMatchObject({ OldestParkedSeconds: [5_400], OldestOverdueSeconds: [0, 0] });
  });
});
