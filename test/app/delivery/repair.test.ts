import { describe, expect, it } from "vitest";
import { continueAs } from "../../../functions/app/messages.js";
import { aSubscription } from "../../support/builders.js";
import { dyingDuringSends, memoryRelay } from "../../support/memory-relay.js";

describe("an attempt that the event's own message claimed and lost", () => {
  it("is repaired by it although another subscription is the only one by now, even when that pass died too", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()] });
    await relay.accept();
    const { revive } = dyingDuringSends(relay);
    await relay.invoke();
    revive();
    relay.events.events.clear();
    relay.subscriptions.set("sub_a", aSubscription({ types: ["other.*"] }));
    relay.subscriptions.set("sub_b", aSubscription({ subscriptionId: "sub_b" }));
    const add = relay.events.addSubscription.bind(relay.events);
    // The second pass stores the event for the new subscription, and ends there.
    relay.events.addSubscription = async (...input) => {
      relay.events.addSubscription = add;
      throw new Error(`the function is gone ${input.length}`);
    };
    await relay.runToEnd();
    expect(relay.delivery()).toMatchObject({ status: "delivered", attemptsStarted: 2 });
    expect(relay.delivery(undefined, "sub_b").status).toBe("delivered");
  });

  it("is repaired by a message that comes back from the faults for the second time", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()] });
    await relay.accept();
    const { revive } = dyingDuringSends(relay);
    const [first] = relay.queue.delivery.messages.values();
    await relay.invoke();
    revive();
    // Taken off the queue ten receives later, sent back, and moved to the faults again under the id of its own.
    relay.queue.delivery.messages.clear();
    const once = continueAs(first?.body ?? "", first?.messageId ?? "");
    relay.queue.delivery.send(continueAs(once, "message-of-the-first-redrive"));
    relay.clock.advance(600);
    await relay.runToEnd();
    expect(relay.delivery()).toMatchObject({ status: "delivered", attemptsStarted: 2 });
  });
});
