import fc, { type Scheduler } from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeMessage } from "../../functions/app/messages.js";
import { packContent } from "../../functions/core/content.js";
import { deliveryIdOf } from "../../functions/core/ids.js";
import { aGate, anEvent, aPolicy, aSubscription } from "../support/builders.js";
import { interleaved, race, racingSender, type Seen } from "./racing.js";
import { type QueuedMessage, RelayUnderTest } from "./relay-under-test.js";

/** Messages of one event at the same time: a provider's duplicate, SQS's, and a subscription that is made meanwhile. */

const body = Buffer.from("{}");
const policy = aPolicy({ schedule: { kind: "fixed", baseSeconds: 10 }, maxAttempts: 2 });

function addSubscription({ relay }: RelayUnderTest, subscriptionId: string): void {
  relay.subscriptions.set(subscriptionId, aSubscription({ subscriptionId, policy }));
  relay.gates.set(subscriptionId, aGate({ subscriptionId }));
}

/** The event as ingress sends it, once per entry; `again`: the message before, handed out once more by SQS. */
function eventMessages(real: RelayUnderTest, kinds: readonly ("duplicate" | "again")[]): QueuedMessage[] {
  const content = { at: "inline", packed: packContent({ headers: [], body }) } as const;
  const text = encodeMessage({ v: 1, kind: "event", event: real.event, content });
  const messages = [real.enqueue(text)];
  for (const kind of kinds) {
    const last = messages.at(-1);
    messages.push(
      kind === "again" && last !== undefined
        ? { ...last, receiveCount: 2, firstReceivedAtMs: real.now }
        : real.enqueue(text),
    );
  }
  return messages;
}

/** Receives everything that is in the queue, all at the same time, until nothing is left. */
async function drain(real: RelayUnderTest, context: RelayUnderTest["context"], scheduler: Scheduler): Promise<void> {
  for (let rounds = 0; real.messages.length > 0; rounds++) {
    expect(rounds, "it never comes to rest").toBeLessThan(20);
    // What is here was received before, but for what was sent in the round before: SQS counts, and so do the functions.
    await scheduler.waitFor(
      race(
        real,
        context,
        real.messages.map((message) => ({ ...message, receiveCount: 2 })),
      ),
    );
    real.relay.clock.advance(100);
  }
}

describe("messages of one event at the same time", () => {
  it("make one delivery per subscription, each attempt once, and all of them can be found by the event", async () => {
    const kinds = fc.array(fc.constantFrom("duplicate" as const, "again" as const), { maxLength: 3 });
    const answers = fc.array(fc.constantFrom(200, 503), { minLength: 1, maxLength: 3 });
    const property = fc.asyncProperty(
      fc.scheduler(),
      kinds,
      answers,
      fc.constantFrom("one", "two", "first made meanwhile", "second made meanwhile"),
      fc.integer({ min: 1, max: 12 }),
      fc.option(fc.integer({ min: 1, max: 12 })),
      async (scheduler, more, statusCodes, subscriptions, madeAtStep, diesAtCall) => {
        const real = new RelayUnderTest(anEvent(body));
        real.relay.subscriptions.clear();
        if (subscriptions !== "first made meanwhile") addSubscription(real, "sub_a");
        if (subscriptions === "two") addSubscription(real, "sub_b");
        const seen: Seen = { requests: [], mostAtOnce: 0 };
        const sender = racingSender(seen, scheduler, statusCodes, () => real.now);
        const context = { ...interleaved({ ...real.context }, scheduler), sender };
        const received = eventMessages(real, more);
        const made = async (): Promise<void> => {
          for (let step = 0; step < madeAtStep; step++) await scheduler.schedule(Promise.resolve(), "time passes");
          if (subscriptions.endsWith("made meanwhile")) addSubscription(real, "sub_b");
        };
        await scheduler.waitFor(Promise.all([race(real, context, received, diesAtCall), made()]));
        await drain(real, context, scheduler);
        await expectAllEnded(real, seen);
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });
});

async function expectAllEnded(real: RelayUnderTest, seen: Seen): Promise<void> {
  const { eventId } = real.event;
  const stored = await real.relay.events.findEvent(eventId);
  const deliveryIds = (stored?.subscriptionIds ?? []).map((id) => deliveryIdOf(eventId, id));
  expect(new Set(real.relay.deliveries.deliveries.keys())).toEqual(new Set(deliveryIds));
  for (const deliveryId of deliveryIds) {
    const delivery = await real.relay.deliveries.findDelivery(deliveryId);
    expect(["delivered", "dead_lettered"]).toContain(delivery?.status);
    const attempted = seen.requests.filter((request) => request.webhookId === deliveryId).map(({ attempt }) => attempt);
    expect(new Set(attempted).size, `attempts sent: ${attempted}`).toBe(attempted.length);
    const certain = (delivery?.attempts ?? []).filter(({ outcome }) => outcome !== "unknown");
    expect(attempted).toEqual(expect.arrayContaining(certain.map(({ number }) => number)));
    expect(Math.max(0, ...attempted)).toBeLessThanOrEqual(delivery?.attemptsStarted ?? 0);
  }
}
