import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StatsView } from "../../functions/app/admin/view-schemas.js";
import { type Destination, startDestination } from "../support/destination.js";
import { isFinal, startRelay, type TestRelay } from "../support/relay.js";

let relay: TestRelay;
let destination: Destination;
beforeAll(async () => {
  relay = await startRelay();
  destination = await startDestination(200);
});
afterAll(async () => {
  await relay.close();
  await destination.close();
});

describe("a deleted subscription", () => {
  it("ends what is parked at once, without an attempt and without a dead letter on the queue", async () => {
    const [subscription] = await relay.source({ sourceId: "shop" }, { url: `${destination.url}/hooks` });
    const path = `/admin/subscriptions/${subscription?.subscriptionId}`;
    await relay.admin("POST", `${path}/pause`, {});
    const eventIds: string[] = [];
    for (const n of [1, 2, 3]) {
      const answer = await relay.post("/in/shop", `{"n":${n}}`, { "content-type": "application/json" });
      eventIds.push(((await answer.json()) as { eventId: string }).eventId);
    }
    for (const eventId of eventIds) await relay.deliveries(eventId, ({ status }) => status === "parked");

    await relay.admin("DELETE", path);
    for (const eventId of eventIds) {
      const [delivery] = await relay.deliveries(eventId, isFinal);
      expect(delivery).toMatchObject({
        status: "dead_lettered",
        deadLetterReason: "subscription_deleted",
        attempts: [],
      });
    }
    expect(destination.requests).toHaveLength(0);
    const { queues } = await relay.admin<StatsView>("GET", "/admin/stats");
    expect(queues.deadLetter).toEqual({ visible: 0, delayed: 0, inFlight: 0 });
  });
});
