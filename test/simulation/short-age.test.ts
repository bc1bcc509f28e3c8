import { describe, expect, it } from "vitest";
import { gateOf } from "./backlog.js";
import { CalmRelay } from "./calm-relay.js";
import { bound } from "./sabotage.js";

const maxAgeSeconds = 20;
const trafficAfterSeconds = 60;

/** Ten events a second to a destination that refuses connections at first, until all is at rest. */
async function playOutage(outageSeconds: number) {
  const relay = new CalmRelay({
    destination: ({ atMs }) => (atMs < backAtMs ? { afterMs: 5, error: "refused" } : { afterMs: 5, status: 200 }),
    isSwept: true,
    // What a tick sends takes a second through the queue: a delivery that has less time left makes no attempt.
    controlChanges: ({ queue }) => ({
      queue: {
        ...bound(queue),
        sendDeliveries: (messages, seconds, lane) => queue.sendDeliveries(messages, Math.max(1, seconds), lane),
      },
    }),
  });
  const { world, startMs } = relay;
  const backAtMs = startMs + outageSeconds * 1000;
  const untilMs = backAtMs + trafficAfterSeconds * 1000;
  relay.subscribe("dest", { policy: { maxAgeSeconds }, circuit: { failureThreshold: 2 } });
  const next = (): void => {
    if (world.now() >= untilMs) return;
    relay.accept("dest");
    world.after(100, next);
  };
  next();
  // The next sweep ends what is left.
  await world.run(untilMs + 400_000);
  const received = [...relay.deliveries.deliveries.values()].filter(({ receivedAtMs }) => receivedAtMs >= backAtMs);
  const { circuit, changedAtMs } = gateOf(relay, "dest");
  return {
    errors: relay.errors,
    received: received.length,
    died: received.filter(({ status }) => status !== "delivered").length,
    closedAfterSeconds: circuit === undefined ? (changedAtMs - backAtMs) / 1000 : Number.POSITIVE_INFINITY,
  };
}

describe("an outage under traffic whose time budget is over sooner than the outage", () => {
  // In five minutes more becomes too old than a tick looks at, before a sweep ends it.
  it.each([45, 290])("of %i s ends with the first probe after it, and new events are delivered", async (outage) => {
    const { errors, received, died, closedAfterSeconds } = await playOutage(outage);
    expect([errors, received]).toEqual([[], 10 * trafficAfterSeconds]);
    // The cooldown of 15 s, a fifth more, and what messages take.
    expect(closedAfterSeconds).toBeLessThan(21);
    expect(died).toBeLessThan(20);
  });
});
