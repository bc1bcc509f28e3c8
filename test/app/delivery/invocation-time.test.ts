import { describe, expect, it } from "vitest";
import { invocationTime, leavesTimeToSend } from "../../../functions/app/delivery/invocation-time.js";
import { processBatch } from "../../../functions/app/delivery/process-batch.js";
import { anEvent, aSubscription } from "../../support/builders.js";
import { memoryRelay } from "../../support/memory-relay.js";

describe("the time of an invocation", () => {
  it.each([900, 90, 30, 6, 3])(
    "of %i s is enough to send, to record after it, and ends before its lease",
    (seconds) => {
      const time = invocationTime(0, seconds * 1000);
      expect(leavesTimeToSend(time, 0)).toBe(true);
      expect(time.sendDeadlineMs).toBeLessThanOrEqual(seconds * 1000 - Math.min(10_000, seconds * 333));
      expect(time.leaseUntilMs).toBeGreaterThan(seconds * 1000);
    },
  );

  it("ends each request of a batch before the function ends, whatever timeout its subscription has", async () => {
    const silent = aSubscription({ timeouts: { connectSeconds: 30, readSeconds: 30 } });
    const relay = memoryRelay({ subscriptions: [silent], answers: Array.from({ length: 10 }, () => "reset" as const) });
    for (let number = 0; number < 10; number++) {
      await relay.accept(anEvent(undefined, { eventId: `evt_0000000000000000000000000${number}` }));
    }
    const startMs = relay.clock.now();
    const received = relay.queue.delivery.receive();
    await processBatch(relay.context, received, invocationTime(startMs, 30_000));
    expect(relay.requests.map(({ deadlineMs }) => deadlineMs - startMs)).toEqual(Array(10).fill(20_000));
  });
});
