import { describe, expect, it } from "vitest";
import { invocationTime } from "../../../functions/app/delivery/invocation-time.js";
import { processBatch } from "../../../functions/app/delivery/process-batch.js";
import type { Lane } from "../../../functions/app/ports.js";
import { slowForMs } from "../../../functions/core/gate.js";
import type { Delivery } from "../../../functions/core/model.js";
import { aGate, anEvent, aPolicy, aSubscription } from "../../support/builders.js";
import { memoryRelay } from "../../support/memory-relay.js";
import { type Fault, faults, mortalContext, type Strike } from "../../support/mortal-context.js";

/**
 * Whatever goes wrong at whichever call: one fault is put at call 1, then at call 2, and so on until a run makes no
 * further call. After each run the relay has gone on by itself, and every promise must hold.
 */

type Relay = ReturnType<typeof memoryRelay>;

interface Scenario {
  readonly title: string;
  start(): Relay;
  /** Subscriptions that must have a delivery in the end. */
  readonly subscriptionIds?: readonly string[];
  readonly ends: readonly Delivery["status"][];
}

const event = anEvent();
const twice = aPolicy({ maxAttempts: 2 });

const scenarios: readonly Scenario[] = [
  {
    title: "a delivery that succeeds at once",
    start: () => memoryRelay({ subscriptions: [aSubscription()] }),
    ends: ["delivered"],
  },
  {
    title: "a delivery that fails once",
    start: () => memoryRelay({ subscriptions: [aSubscription()], answers: [503] }),
    ends: ["delivered"],
  },
  {
    title: "a delivery that is exhausted",
    start: () => memoryRelay({ subscriptions: [aSubscription({ policy: twice })], answers: [503, 503, 503] }),
    ends: ["dead_lettered", "delivered"],
  },
  {
    title: "a delivery that is refused",
    start: () => memoryRelay({ subscriptions: [aSubscription()], answers: [422, 422] }),
    ends: ["dead_lettered"],
  },
  {
    title: "a retry that goes by schedule",
    start: () => {
      const policy = aPolicy({ schedule: { kind: "fixed", baseSeconds: 3600 } });
      return memoryRelay({ subscriptions: [aSubscription({ policy })], answers: [503] });
    },
    ends: ["delivered"],
  },
  {
    title: "a fan-out to three",
    start: () => {
      const subscriptions = ["sub_a", "sub_b", "sub_c"].map((subscriptionId) => aSubscription({ subscriptionId }));
      return memoryRelay({ subscriptions, answers: [503, 200] });
    },
    subscriptionIds: ["sub_a", "sub_b", "sub_c"],
    ends: ["delivered"],
  },
  {
    title: "a destination that is gone",
    start: () => memoryRelay({ subscriptions: [aSubscription()], answers: [410, 410] }),
    ends: ["parked"],
  },
  {
    title: "a gate that is closed",
    start: () => {
      const relay = memoryRelay({ subscriptions: [aSubscription()] });
      closeGate(relay);
      return relay;
    },
    ends: ["parked"],
  },
  {
    title: "a first attempt that hangs",
    start: () => memoryRelay({ subscriptions: [aSubscription()], answers: ["hangs"] }),
    ends: ["delivered"],
  },
  {
    title: "a slow subscription",
    start: () => slowDown(memoryRelay({ subscriptions: [aSubscription()], answers: [503] })),
    ends: ["delivered"],
  },
  {
    title: "a subscription that becomes slow during its first attempt",
    start: () => {
      const relay = memoryRelay({ subscriptions: [aSubscription()], answers: [503] });
      afterFirstSend(relay, () => slowDown(relay));
      return relay;
    },
    ends: ["delivered"],
  },
  {
    title: "a fan-out to two, one of them slow",
    start: () => {
      const subscriptions = ["sub_a", "sub_b"].map((subscriptionId) => aSubscription({ subscriptionId }));
      return slowDown(memoryRelay({ subscriptions }));
    },
    subscriptionIds: ["sub_a", "sub_b"],
    ends: ["delivered"],
  },
  {
    title: "a subscription that is deleted between two attempts",
    start: () => {
      const relay = memoryRelay({ subscriptions: [aSubscription()], answers: [503] });
      afterFirstSend(relay, () => relay.subscriptions.set("sub_a", aSubscription({ deletedAtMs: 1 })));
      return relay;
    },
    ends: ["dead_lettered", "delivered"],
  },
];

describe.each(scenarios)("$title", ({ start, subscriptionIds = ["sub_a"], ends }) => {
  it.each(faults)("keeps every promise when the function %s any of its calls", async (fault) => {
    for (let at = 1; ; at++) {
      const relay = start();
      await relay.accept(event);
      const struck = await runWithFault(relay, fault, at);
      for (const subscriptionId of subscriptionIds) {
        const delivery = relay.delivery(event, subscriptionId);
        expect(ends, `${fault} call ${at}: ${struck}`).toContain(delivery.status);
        expectTrueHistory(relay, delivery, `${fault} call ${at}: ${struck}`);
      }
      expect(relay.events.events.has(event.eventId)).toBe(true);
      if (struck === null) return;
    }
  });
});

function expectTrueHistory(relay: Relay, delivery: Delivery, where: string): void {
  const { attempts } = delivery;
  expect(
    attempts.map((attempt) => attempt.number),
    where,
  ).toEqual(Array.from({ length: delivery.attemptsStarted }, (_value, index) => index + 1));
  const seen = relay.requests
    .filter(({ headers }) => headers.some(([, value]) => value === delivery.deliveryId))
    .map(({ headers }) => Number(headers.find(([name]) => name === "steadyhook-attempt")?.[1]));
  expect(new Set(seen).size, `${where}: an attempt was sent twice`).toBe(seen.length);
  const known = attempts.filter((attempt) => attempt.outcome !== "unknown").map((attempt) => attempt.number);
  expect(seen, where).toEqual(expect.arrayContaining(known));
  for (const [before, after] of attempts.slice(1).map((attempt, index) => [attempts[index], attempt] as const)) {
    const waited = after.startedAtMs - (before?.startedAtMs ?? 0);
    expect(waited, where).toBeGreaterThanOrEqual(after.delaySeconds * 1000 - 1000);
  }
  const loud = delivery.status === "dead_lettered" && delivery.deadLetterReason !== "subscription_deleted";
  expect(relay.deadLetters().length > 0, where).toBe(loud);
}

/** Runs to the end with one fault at call `at`; the call that it struck, or null when there were fewer calls. */
async function runWithFault(relay: Relay, fault: Fault, at: number): Promise<string | null> {
  let calls = 0;
  let struck: string | null = null;
  const strike: Strike = (call) => {
    if (++calls !== at) return null;
    struck = call;
    return fault;
  };
  while (moveOn(relay)) {
    relay.scheduler.fire();
    await invokeMortally(relay, "fast", strike);
    await invokeMortally(relay, "slow", strike);
  }
  return struck;
}

/** One invocation with what is visible on a lane; what it is done with is deleted. */
async function invokeMortally(relay: Relay, lane: Lane, strike: Strike): Promise<void> {
  const queue = lane === "fast" ? relay.queue.delivery : relay.queue.slow;
  const received = queue.receive();
  const records = received.map((message) => ({ ...message, lane }));
  const { context, death } = mortalContext(relay.context, strike);
  const failed = await Promise.race([processBatch(context, records, invocationTime(relay.clock.now(), 90_000)), death]);
  const done = failed === "dead" ? [] : received.filter(({ messageId }) => !failed.includes(messageId));
  for (const { receiptHandle } of done) queue.delete(receiptHandle);
}

/** Moves the clock to what comes next; false when nothing does. */
function moveOn({ clock, queue, scheduler }: Relay): boolean {
  const visible = [queue.delivery, queue.slow].map((each) => each.nextVisibleAtMs() ?? Infinity);
  const nextAtMs = Math.min(...visible, scheduler.nextAtMs() ?? Infinity);
  if (nextAtMs === Infinity) return false;
  clock.set(Math.max(nextAtMs, clock.now()));
  return true;
}

function slowDown(relay: Relay): Relay {
  relay.gates.set("sub_a", aGate({ slowUntilMs: relay.clock.now() + slowForMs }));
  return relay;
}

function closeGate(relay: Relay): void {
  relay.gates.set("sub_a", aGate({ status: "paused" }));
}

/** Runs `change` as soon as the first request has been sent. */
function afterFirstSend(relay: Relay, change: () => void): void {
  const { sender } = relay.context;
  const send = sender.send.bind(sender);
  sender.send = async (request) => {
    const result = await send(request);
    change();
    return result;
  };
}
