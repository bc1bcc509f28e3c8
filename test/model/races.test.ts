import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DeliveryTable } from "../../functions/app/ports.js";
import type { Delivery } from "../../functions/core/model.js";
import { anEvent } from "../support/builders.js";
import { delaysSeconds, maxAttempts } from "./delivery-model.js";
import { interleaved, race, racingSender, type Seen } from "./racing.js";
import { type QueuedMessage, RelayUnderTest } from "./relay-under-test.js";

/** Several messages of one delivery at the same time, interleaved at every call in every way that fast-check finds. */

async function aRelay(): Promise<RelayUnderTest> {
  const real = new RelayUnderTest(anEvent());
  await real.begin();
  return real;
}

const answers = fc.array(fc.constantFrom(200, 503, 503, 422), { minLength: 1, maxLength: 3 });

/** What is in the queue, and more of the same: a copy under another id, a sweeper's, or the same received twice. */
const extras = fc.array(fc.constantFrom("copy", "repair", "again"), { minLength: 1, maxLength: 3 });

function withExtras(real: RelayUnderTest, kinds: readonly string[]): readonly QueuedMessage[] {
  const [first] = real.messages;
  if (first === undefined) return [];
  const repair = JSON.stringify({ ...JSON.parse(first.body), repair: true });
  const more = kinds.map((kind) => (kind === "again" ? first : real.enqueue(kind === "copy" ? first.body : repair)));
  return [...new Set([...real.messages, ...more]), ...more.filter((message) => message === first)];
}

const announced = (real: RelayUnderTest, attempt: number): number =>
  real.messages.filter(({ id }) => real.message(id).attempt === attempt).length;

describe("messages of one delivery at the same time", () => {
  it("make each attempt once, one after the other, and record every request", async () => {
    const property = fc.asyncProperty(fc.scheduler(), answers, extras, async (scheduler, statusCodes, kinds) => {
      const real = await aRelay();
      const seen: Seen = { requests: [], mostAtOnce: 0 };
      const sender = racingSender(seen, scheduler, statusCodes, () => real.now);
      const context = interleaved({ ...real.context }, scheduler);
      for (let attempt = 1; attempt <= maxAttempts && announced(real, attempt) > 0; attempt++) {
        const received = withExtras(real, kinds);
        await scheduler.waitFor(race(real, { ...context, sender }, received));
        const repeats = received.length - new Set(received.map(({ id }) => id)).size;
        expect(seen.requests.map((request) => request.attempt)).toEqual(
          Array.from({ length: attempt }, (_value, index) => index + 1),
        );
        // Once for the record; once more only where SQS handed out the very message that made it.
        expect(announced(real, attempt + 1)).toBeLessThanOrEqual(1 + repeats);
        real.relay.clock.advance(delaysSeconds.at(-1) ?? 0);
      }
      expect(seen.mostAtOnce).toBe(1);
      const delivery = await real.delivery();
      expect(delivery?.attempts.map(({ number, statusCode }) => ({ attempt: number, statusCode }))).toEqual(
        seen.requests.map(({ attempt, statusCode }) => ({ attempt, statusCode })),
      );
      expect(["delivered", "dead_lettered"]).toContain(delivery?.status);
    });
    await fc.assert(property, { numRuns: 300 });
  });

  it("take over an attempt that died once: one unknown outcome, and one next attempt", async () => {
    const property = fc.asyncProperty(fc.scheduler(), extras, async (scheduler, kinds) => {
      const real = await aRelay();
      const [guard] = real.messages as [QueuedMessage];
      await real.receive(guard);
      real.crash(0);
      real.relay.clock.advance(100);
      const received = withExtras(real, kinds);
      await scheduler.waitFor(race(real, interleaved({ ...real.context }, scheduler), received));
      const delivery = await real.delivery();
      expect(delivery?.status).toBe("retry_scheduled");
      expect(delivery?.attempts.map(({ outcome }) => outcome)).toEqual(["unknown"]);
      const mayRepair = received.filter((message) => message === guard || message.body.includes("repair")).length;
      expect(announced(real, 2)).toBeGreaterThanOrEqual(1);
      expect(announced(real, 2)).toBeLessThanOrEqual(mayRepair);
    });
    await fc.assert(property, { numRuns: 200 });
  });

  it("let a late result or the take-over win, never both", async () => {
    const property = fc.asyncProperty(fc.scheduler(), fc.constantFrom(200, 503, 422), async (scheduler, statusCode) => {
      const real = await aRelay();
      const [guard] = real.messages as [QueuedMessage];
      const seen: Seen = { requests: [], mostAtOnce: 0 };
      const writes = countingWrites(real.context.deliveries);
      const context = interleaved({ ...real.context, deliveries: writes.table }, scheduler);
      const sender = racingSender(seen, scheduler, [statusCode], () => real.now);
      const sent = new Promise<void>((resolve) => {
        seen.onRequest = resolve;
      });
      const first = race(real, { ...context, sender }, [guard]);
      await scheduler.waitFor(sent);
      real.relay.clock.advance(100);
      await scheduler.waitFor(Promise.all([first, race(real, { ...context, sender }, [guard])]));
      const delivery = await real.delivery();
      const recorded = delivery?.attempts.map(({ outcome }) => outcome);
      expect(recorded).toHaveLength(1);
      const takenOver = recorded?.[0] === "unknown";
      expect(delivery?.status).toBe(statusOf(takenOver ? 503 : statusCode));
      expect(seen.requests).toHaveLength(1);
      // The claim, and one record: what was recorded first is never replaced.
      expect(writes.made).toBe(2);
    });
    await fc.assert(property, { numRuns: 200 });
  });

  it("leave no delivery parked behind a gate that opens meanwhile", async () => {
    const property = fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const real = await aRelay();
      real.setGate("paused");
      const context = interleaved({ ...real.context }, scheduler);
      const seen: Seen = { requests: [], mostAtOnce: 0 };
      const sender = racingSender(seen, scheduler, [200], () => real.now);
      const resume = scheduler.schedule(Promise.resolve(), "the gate opens").then(() => {
        real.setGate("active");
        return real.release();
      });
      await scheduler.waitFor(Promise.all([race(real, { ...context, sender }, [...real.messages]), resume]));
      const delivery = await real.delivery();
      if (delivery?.status === "parked") expect(announced(real, 1)).toBeGreaterThanOrEqual(1);
      else expect(delivery?.status).toBe("delivered");
    });
    await fc.assert(property, { numRuns: 100 });
  });
});

function countingWrites(deliveries: DeliveryTable) {
  const counted = {
    made: 0,
    table: {
      findDelivery: (id: string) => deliveries.findDelivery(id),
      findDeliveries: (ids: readonly string[]) => deliveries.findDeliveries(ids),
      async replaceDelivery(previous: Delivery | null, next: Delivery) {
        const replaced = await deliveries.replaceDelivery(previous, next);
        counted.made += replaced ? 1 : 0;
        return replaced;
      },
    },
  };
  return counted;
}

function statusOf(statusCode: number): string {
  if (statusCode === 200) return "delivered";
  return statusCode === 422 ? "dead_lettered" : "retry_scheduled";
}
