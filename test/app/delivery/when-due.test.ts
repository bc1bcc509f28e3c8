import { describe, expect, it } from "vitest";
import { scheduleName, sendWhenDue } from "../../../functions/app/delivery/announce.js";
import type { DeliveryMessage } from "../../../functions/app/ports.js";
import { aSubscription } from "../../support/builders.js";
import { memoryRelay } from "../../support/memory-relay.js";

/** A relay, and a message of it that is due so many seconds from now. */
function dueIn(seconds: number) {
  const relay = memoryRelay({ subscriptions: [aSubscription()] });
  const ids = { deliveryId: "dlv_a", eventId: "evt_a", sourceId: "src", subscriptionId: "sub_a" };
  const dueAtMs = relay.clock.now() + seconds * 1000;
  const message: DeliveryMessage = { v: 1, kind: "delivery", ...ids, attempt: 2, dueAtMs };
  const visibleInSeconds = () =>
    [...relay.queue.delivery.messages.values()].map(({ visibleAtMs }) => (visibleAtMs - relay.clock.now()) / 1000);
  return { relay, message, visibleInSeconds };
}

describe("a message that is sent when it is due", () => {
  it.each([0, -1, -3_600])(
    "is sent at once when it is due in %i s: a schedule in the past is never made",
    async (due) => {
      const { relay, message, visibleInSeconds } = dueIn(due);
      await sendWhenDue(relay.context, message);
      expect(relay.scheduler.schedules.size).toBe(0);
      expect(visibleInSeconds()).toEqual([0]);
    },
  );

  it.each([1, 899.5, 900])("waits on the queue for %d s, rounded up", async (due) => {
    const { relay, message, visibleInSeconds } = dueIn(due);
    await sendWhenDue(relay.context, message);
    expect(visibleInSeconds()).toEqual([Math.ceil(due)]);
  });

  it.each([900.001, 965, 54_524])("is scheduled for its own second when it is due in %d s", async (due) => {
    const { relay, message, visibleInSeconds } = dueIn(due);
    await sendWhenDue(relay.context, message);
    expect(visibleInSeconds()).toEqual([]);
    const atMs = Math.ceil(message.dueAtMs / 1000) * 1000;
    expect([...relay.scheduler.schedules]).toEqual([[scheduleName(message), expect.objectContaining({ atMs })]]);
  });

  it("hops by the longest delay of the queue when no schedule can be made, and keeps its due time", async () => {
    const { relay, message, visibleInSeconds } = dueIn(54_524);
    relay.context.scheduler.scheduleDelivery = async () => {
      throw new Error("ValidationException");
    };
    await sendWhenDue(relay.context, message);
    expect(visibleInSeconds()).toEqual([900]);
    const [sent] = [...relay.queue.delivery.messages.values()];
    expect(JSON.parse(sent?.body ?? "")).toMatchObject({ dueAtMs: message.dueAtMs, attempt: 2 });
  });
});
