import { describe, expect, it } from "vitest";
import { MemoryParkedList } from "../../../functions/adapters/memory/memory-parked-list.js";
import { releasePage, releaseParked } from "../../../functions/app/control/release-parked.js";
import type { ReleaseMessage } from "../../../functions/app/ports.js";
import { aGate, anEvent, aSubscription } from "../../support/builders.js";
import { memoryRelay } from "../../support/memory-relay.js";

/** A relay whose only subscription is paused, with `count` deliveries parked at it. */
async function pausedRelay(count: number) {
  const relay = memoryRelay({ subscriptions: [aSubscription()] });
  relay.gates.set("sub_a", aGate({ status: "paused", generation: 1 }));
  const events = Array.from({ length: count }, (_value, index) => {
    const eventId = `evt_${String(index).padStart(26, "0")}`;
    return anEvent(undefined, { eventId, receivedAtMs: relay.clock.now() + index });
  });
  for (const event of events) await relay.accept(event);
  await relay.runToEnd();
  const messages: { readonly message: ReleaseMessage; readonly delaySeconds: number }[] = [];
  const control = {
    messages,
    sendRelease: async (message: ReleaseMessage, delaySeconds: number) => void messages.push({ message, delaySeconds }),
  };
  const context = { ...relay.context, parked: new MemoryParkedList(relay.deliveries), control };
  const resume = () => relay.gates.set("sub_a", aGate({ status: "active", generation: 2 }));
  const tick = { v: 1, kind: "release", subscriptionId: "sub_a", generation: 2, after: null, sent: 0 } as const;
  return { relay, events, control, context, resume, tick };
}

describe("a release", () => {
  it("sends what was parked in the order in which it was received, page after page, then looks once more", async () => {
    const { relay, events, control, context, resume, tick } = await pausedRelay(releasePage + 20);
    expect(relay.requests).toHaveLength(0);
    resume();
    const delays: number[] = [];
    for (let next: typeof control.messages = [{ message: tick, delaySeconds: 0 }]; next.length > 0; ) {
      for (const { message, delaySeconds } of next) {
        delays.push(delaySeconds);
        await releaseParked(context, message);
      }
      await relay.runToEnd();
      next = control.messages.splice(0);
    }
    expect(delays).toEqual([0, 1, 1, 30]);
    const order = relay.requests.map(({ headers }) => headers.find(([name]) => name === "steadyhook-event-id")?.[1]);
    expect(order).toEqual(events.map((event) => event.eventId));
    expect([...relay.deliveries.deliveries.values()].every((each) => each.status === "delivered")).toBe(true);
  });

  it("sends nothing when the gate has closed again, or belongs to another generation", async () => {
    const { relay, control, context, resume, tick } = await pausedRelay(1);
    await releaseParked(context, tick);
    resume();
    await releaseParked(context, { ...tick, generation: 1 });
    expect(relay.queue.delivery.messages.size).toBe(0);
    expect(control.messages).toEqual([]);
  });

  it("makes no second attempt when a tick is repeated", async () => {
    const { relay, context, resume, tick } = await pausedRelay(3);
    resume();
    await releaseParked(context, tick);
    await releaseParked(context, tick);
    await relay.runToEnd();
    expect(relay.requests).toHaveLength(3);
  });

  it("drops a released message when the gate closed before it came", async () => {
    const { relay, context, resume, tick } = await pausedRelay(1);
    resume();
    await releaseParked(context, tick);
    relay.gates.set("sub_a", aGate({ status: "paused", generation: 3 }));
    await relay.runToEnd();
    expect(relay.requests).toHaveLength(0);
    expect([...relay.deliveries.deliveries.values()].map((each) => each.status)).toEqual(["parked"]);
  });
});
