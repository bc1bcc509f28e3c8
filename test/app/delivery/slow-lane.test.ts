import { describe, expect, it } from "vitest";
import { processTick } from "../../../functions/app/control/tick.js";
import { decodeMessage } from "../../../functions/app/messages.js";
import { slowForMs } from "../../../functions/core/gate.js";
import { aGate, anEvent, aSubscription } from "../../support/builders.js";
import { type Answer, memoryRelay } from "../../support/memory-relay.js";

type Relay = ReturnType<typeof memoryRelay>;

/** A relay with one subscription that has been noted as slow. */
function slowRelay(answers: Answer[] = []): Relay {
  const relay = memoryRelay({ subscriptions: [aSubscription()], answers });
  relay.gates.set("sub_a", aGate({ slowUntilMs: relay.clock.now() + slowForMs }));
  return relay;
}

const slowMessages = (relay: Relay) => [...relay.queue.slow.messages.values()].map(({ body }) => decodeMessage(body));

describe("an attempt that hangs", () => {
  it("makes its subscription slow while it is still open, and the next attempt goes by the slow lane", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers: ["hangs"] });
    await relay.accept();
    await relay.invoke();
    expect(relay.gates.get("sub_a")?.slowUntilMs).toBe(relay.clock.now() + slowForMs);
    expect(relay.delivery()).toMatchObject({ status: "retry_scheduled", attempts: [{ error: "read_timeout" }] });
    expect(relay.queue.delivery.messages.size).toBe(0);
    expect(slowMessages(relay)).toMatchObject([{ kind: "delivery", attempt: 2 }]);
    await relay.runToEnd();
    expect(relay.delivery().status).toBe("delivered");
  });

  it("does not make those slow that answer in time, in the same batch", async () => {
    const quick = aSubscription({ subscriptionId: "sub_b", sourceId: "other" });
    const relay = memoryRelay({ subscriptions: [aSubscription(), quick], answers: ["hangs", 200] });
    await relay.accept();
    const other = await relay.accept(anEvent(undefined, { eventId: "evt_other", sourceId: "other" }));
    await relay.invoke();
    expect(relay.delivery(other, "sub_b").status).toBe("delivered");
    expect(relay.gates.get("sub_b")?.slowUntilMs).toBeUndefined();
  });

  it("is recorded although noting it fails", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers: ["hangs"] });
    relay.context.gates.noteSlow = async () => {
      throw new Error("throttled");
    };
    await relay.accept();
    await relay.invoke();
    expect(relay.delivery()).toMatchObject({ status: "retry_scheduled", attemptsStarted: 1 });
    expect(relay.logged).toContainEqual(expect.objectContaining({ message: "slow subscription not noted" }));
  });
});

describe("a delivery of a slow subscription", () => {
  it("is handed over before its claim, its event stored, and attempted on the slow lane", async () => {
    const relay = slowRelay();
    const event = await relay.accept();
    await relay.invokeWith("fast");
    expect(relay.requests).toHaveLength(0);
    expect(relay.deliveries.deliveries.size).toBe(0);
    expect(relay.events.events.get(event.eventId)?.subscriptionIds).toEqual(["sub_a"]);
    expect(relay.queue.delivery.messages.size).toBe(0);
    await relay.invokeWith("slow");
    expect(relay.delivery()).toMatchObject({ status: "delivered", attemptsStarted: 1 });
    expect(relay.queue.slow.messages.size).toBe(0);
  });

  it("is handed over once, and keeps the name that it was received under", async () => {
    const relay = slowRelay();
    await relay.accept();
    const [received] = relay.queue.delivery.messages.values();
    await relay.invokeWith("fast");
    expect(slowMessages(relay)).toMatchObject([{ as: received?.messageId, attempt: 1 }]);
    await relay.invokeWith("slow");
    expect(relay.delivery().claim?.guard).toBe(received?.messageId);
  });

  it("has the message of its retry handed over too, when a schedule sent it to the fast lane", async () => {
    const retryAfter = { status: 503, headers: [["retry-after", "1800"]] as const };
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers: [retryAfter] });
    await relay.accept();
    await relay.invoke();
    expect(relay.scheduler.schedules.size).toBe(1);
    relay.clock.advance(1_800);
    relay.gates.set("sub_a", aGate({ slowUntilMs: relay.clock.now() + slowForMs }));
    relay.scheduler.fire();
    await relay.invokeWith("fast");
    expect(relay.requests).toHaveLength(1);
    expect(slowMessages(relay)).toMatchObject([{ attempt: 2, stored: true }]);
    await relay.invokeWith("slow");
    expect(relay.delivery()).toMatchObject({ status: "delivered", attemptsStarted: 2 });
  });

  it("goes by the slow lane from the start when its event is fanned out", async () => {
    const quick = aSubscription({ subscriptionId: "sub_b" });
    const relay = memoryRelay({ subscriptions: [aSubscription(), quick] });
    relay.gates.set("sub_a", aGate({ slowUntilMs: relay.clock.now() + slowForMs }));
    // Whoever has not read the gate yet sends by the fast lane, which hands it over.
    await relay.context.gates.find("sub_a");
    await relay.accept();
    await relay.invokeWith("fast");
    expect(slowMessages(relay)).toMatchObject([{ subscriptionId: "sub_a" }]);
    const fast = [...relay.queue.delivery.messages.values()].map(({ body }) => decodeMessage(body));
    expect(fast).toMatchObject([{ subscriptionId: "sub_b" }]);
    await relay.runToEnd();
    expect(relay.requests).toHaveLength(2);
  });

  it("is handed back to the slow lane when it came from there and our own side fails", async () => {
    const relay = slowRelay();
    await relay.accept();
    await relay.invokeWith("fast");
    const find = relay.context.gates.find;
    relay.context.gates.find = async () => {
      throw new Error("throttled");
    };
    await relay.invokeWith("slow");
    relay.context.gates.find = find;
    const [message] = relay.queue.slow.messages.values();
    // Sooner than the queue's own visibility of 540 s.
    expect(message?.visibleAtMs).toBe(relay.clock.now() + 10_000);
    await relay.runToEnd();
    expect(relay.delivery().status).toBe("delivered");
  });

  it("is parked without a detour when its gate is closed, and released by the slow lane", async () => {
    const relay = slowRelay();
    const slow = relay.gates.get("sub_a") ?? aGate();
    relay.gates.set("sub_a", { ...slow, status: "paused", generation: 1 });
    await relay.accept();
    await relay.invokeWith("fast");
    expect(relay.delivery().status).toBe("parked");
    relay.gates.set("sub_a", { ...slow, generation: 2 });
    const asked = { v: 1, kind: "tick", subscriptionId: "sub_a", seq: null, generation: 2 } as const;
    await processTick(relay.ticks, asked, "a-tick");
    expect(slowMessages(relay)).toMatchObject([{ attempt: 1, stored: true }]);
  });

  it("takes the fast lane again once the time is over, whoever noticed that it is fast", async () => {
    const relay = slowRelay();
    relay.clock.advance(slowForMs / 1_000);
    await relay.accept();
    await relay.invokeWith("fast");
    expect(relay.delivery().status).toBe("delivered");
  });

  it("stays on the slow lane for the messages that are there already", async () => {
    const relay = slowRelay();
    await relay.accept();
    await relay.invokeWith("fast");
    relay.gates.set("sub_a", aGate());
    await relay.invokeWith("slow");
    expect(relay.delivery().status).toBe("delivered");
  });
});

describe("the guard of a claim whose subscription became slow", () => {
  /** The function dies during its request, its event's message comes again, and the subscription is slow by now. */
  async function lostAttempt(): Promise<Relay> {
    const relay = memoryRelay({ subscriptions: [aSubscription()] });
    await relay.accept();
    const replaceDelivery = relay.deliveries.replaceDelivery.bind(relay.deliveries);
    relay.deliveries.replaceDelivery = async (previous, next) => {
      if (previous?.status === "attempting") throw new Error("the function is gone");
      return replaceDelivery(previous, next);
    };
    await relay.invokeWith("fast");
    relay.deliveries.replaceDelivery = replaceDelivery;
    relay.gates.set("sub_a", aGate({ slowUntilMs: relay.clock.now() + slowForMs }));
    return relay;
  }

  it("repairs it, by whatever lane it comes again", async () => {
    const relay = await lostAttempt();
    await relay.runToEnd();
    expect(relay.delivery()).toMatchObject({ status: "delivered", attemptsStarted: 2 });
    expect(relay.delivery().attempts.map(({ outcome }) => outcome)).toEqual(["unknown", "delivered"]);
  });

  it("repairs it from the slow lane when SQS delivered the message twice, and the copy was handed over", async () => {
    const relay = await lostAttempt();
    const [message] = relay.queue.delivery.messages.values();
    if (message === undefined) throw new Error("the message is gone");
    // The copy counts as received for the first time: nothing tells it from a message that has done nothing yet.
    relay.queue.delivery.messages.set(message.messageId, {
      ...message,
      receiveCount: 0,
      visibleAtMs: relay.clock.now(),
    });
    await relay.invokeWith("fast");
    expect(relay.queue.delivery.messages.size).toBe(0);
    await relay.runToEnd();
    expect(relay.delivery()).toMatchObject({ status: "delivered", attemptsStarted: 2 });
  });
});
