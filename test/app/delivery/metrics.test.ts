import { describe, expect, it } from "vitest";
import { processControl } from "../../../functions/app/control/process-control.js";
import { aGate, anEvent, aPolicy, aSubscription } from "../../support/builders.js";
import { memoryRelay } from "../../support/memory-relay.js";

const policy = (maxAttempts: number) => aPolicy({ maxAttempts });

async function countsOf(maxAttempts: number, answers: readonly (number | "reset")[]) {
  const relay = memoryRelay({
    subscriptions: [aSubscription({ policy: policy(maxAttempts) })],
    answers: [...answers],
  });
  await relay.accept({ ...anEvent(), receivedAtMs: relay.clock.now() });
  await relay.runToEnd();
  return relay;
}

describe("metrics of deliveries", () => {
  it("count an attempt and what came of it, with how long it took and how long the event was on its way", async () => {
    const { metrics } = await countsOf(5, [200]);
    expect(metrics.counts).toEqual({ Attempts: 1, Delivered: 1 });
    expect(metrics.values).toEqual({ AttemptLatency: [5], DeliveryLatency: [expect.any(Number)] });
  });

  it("count retries, and the deliveries that reach their last attempt", async () => {
    const { metrics } = await countsOf(3, [503, "reset", 200]);
    expect(metrics.counts).toEqual({ Attempts: 3, Retried: 2, LastAttemptReached: 1, Delivered: 1 });
    expect(metrics.values.DeliveryLatency?.[0]).toBeGreaterThanOrEqual(30_000);
  });

  it("count dead letters, and no last attempt where there is only one", async () => {
    expect((await countsOf(2, [503, 503])).metrics.counts).toMatchObject({ DeadLettered: 1, LastAttemptReached: 1 });
    expect((await countsOf(1, [503])).metrics.counts).toEqual({ Attempts: 1, DeadLettered: 1 });
  });

  it("count each transition once, however often its message comes", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers: [400] });
    const event = await relay.accept();
    await relay.invoke();
    await relay.accept(event);
    await relay.runToEnd();
    expect(relay.metrics.counts).toEqual({ Attempts: 1, DeadLettered: 1 });
  });

  it.each<[string, number, ("same" | "changed")[], number]>([
    ["of one subscription", 1, ["same", "same"], 2],
    ["of several", 2, ["same"], 1],
    ["of none", 0, ["same"], 1],
    ["with another body", 1, ["changed"], 1],
  ])("count an event that is sent again: %s", async (_, count, copies, expected) => {
    const ids = ["sub_a", "sub_b"].slice(0, count);
    const relay = memoryRelay({ subscriptions: ids.map((subscriptionId) => aSubscription({ subscriptionId })) });
    const event = await relay.accept();
    await relay.runToEnd();
    // SQS may copy a message; only the provider makes another request.
    await relay.accept(event);
    await relay.runToEnd();
    expect(relay.metrics.counts.Duplicates).toBeUndefined();
    for (const [index, kind] of copies.entries()) {
      const body = Buffer.from(kind === "same" ? "{}" : "[]");
      await relay.accept({ ...anEvent(body), receivedAtMs: event.receivedAtMs + index + 1 }, body);
      await relay.runToEnd();
    }
    expect(relay.metrics.counts.Duplicates).toBe(expected);
    expect(relay.requests).toHaveLength(count);
  });

  it("leave out dead letters that somebody chose", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription({ deletedAtMs: 1 })] });
    relay.subscriptions.set("sub_b", aSubscription({ subscriptionId: "sub_b" }));
    relay.gates.set("sub_b", aGate({ subscriptionId: "sub_b", status: "paused" }));
    const event = await relay.accept();
    await relay.runToEnd();
    expect(relay.metrics.counts).toEqual({ Parked: 1 });
    relay.subscriptions.set("sub_b", aSubscription({ subscriptionId: "sub_b", deletedAtMs: 1 }));
    await relay.accept(event);
    await relay.queue.sendDeliveries([messageOf(relay.delivery(event, "sub_b"))], 0);
    await relay.runToEnd();
    expect(relay.delivery(event, "sub_b")).toMatchObject({ deadLetterReason: "subscription_deleted" });
    expect(relay.metrics.counts).toEqual({ Parked: 1 });
  });

  it("count circuits that open and close, and show for how long one has been open", async () => {
    const relay = memoryRelay({
      subscriptions: [aSubscription({ policy: policy(50) })],
      answers: [503, 503, 503, 503, 503, 503],
    });
    await relay.accept();
    await relay.runToEnd();
    expect(relay.metrics.counts).toMatchObject({ CircuitOpened: 1, CircuitClosed: 1, Delivered: 1 });
    const open = relay.metrics.values.OldestOpenCircuitSeconds ?? [];
    expect(open.length).toBeGreaterThan(0);
    expect(Math.max(...open)).toBeGreaterThanOrEqual(15);
  });

  it("count a message that could not be processed once it is kept as a fault", async () => {
    const relay = memoryRelay({ subscriptions: [] });
    const faults = { storeFault: async () => {} } as never;
    const fault = { queue: "delivery", messageId: "m", cause: "Error: no", body: "{}" } as const;
    await processControl({ ...relay.ticks, faults, inbox: relay.queue }, [{ from: "fault", messageId: "m", fault }]);
    expect(relay.metrics.counts).toEqual({ Faults: 1 });
  });
});

function messageOf({
  deliveryId,
  eventId,
  sourceId,
  subscriptionId,
}: ReturnType<ReturnType<typeof memoryRelay>["delivery"]>) {
  const ids = { deliveryId, eventId, sourceId, subscriptionId };
  return { v: 1, kind: "delivery", ...ids, attempt: 1, dueAtMs: 0, stored: true } as const;
}
