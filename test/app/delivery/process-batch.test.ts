import { describe, expect, it } from "vitest";
import { contentKey } from "../../../functions/app/delivery/stored-content.js";
import { continueAs } from "../../../functions/app/messages.js";
import { aGate, anEvent, aPolicy, aSubscription } from "../../support/builders.js";
import { dyingDuringSends, memoryRelay } from "../../support/memory-relay.js";
import { seededRandom } from "../../support/virtual-clock.js";

const outcomes = (delivery: { attempts: readonly { outcome: string; delaySeconds: number }[] }) =>
  delivery.attempts.map(({ outcome, delaySeconds }) => [outcome, delaySeconds]);

describe("a single subscription", () => {
  it("gets its first attempt in the invocation that received the event", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()] });
    await relay.accept();
    await relay.invoke();
    expect(relay.requests).toHaveLength(1);
    expect(relay.delivery()).toMatchObject({ status: "delivered", attemptsStarted: 1, deadLetterReason: null });
    expect(relay.events.events.size).toBe(1);
    expect(relay.queue.delivery.messages.size).toBe(0);
  });

  it("is retried by the policy's delays until it answers 2xx", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers: [503, "reset", 200] });
    await relay.accept();
    await relay.runToEnd();
    const delivery = relay.delivery();
    expect(delivery.status).toBe("delivered");
    expect(outcomes(delivery)).toEqual([
      ["retryable", 0],
      ["retryable", 10],
      ["delivered", 20],
    ]);
    const starts = delivery.attempts.map((attempt) => attempt.startedAtMs);
    expect(starts.map((start) => start - (starts[0] as number))).toEqual([0, 10_000, 30_000]);
  });

  it("is dead-lettered as exhausted after the maximum, with one message on the dead-letter queue", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers: [500, 500, 500, 200] });
    const event = await relay.accept();
    await relay.runToEnd();
    expect(relay.delivery()).toMatchObject({ status: "dead_lettered", deadLetterReason: "exhausted" });
    expect(relay.requests).toHaveLength(3);
    expect(relay.deadLetters()).toMatchObject([
      { eventId: event.eventId, reason: "exhausted", attempts: 3, lastOutcome: { statusCode: 500, error: null } },
    ]);
  });

  it("is attempted to the maximum and no further by a 403 that its policy retries, each attempt numbered", async () => {
    const policy = aPolicy({ schedule: { kind: "linear", baseSeconds: 1 }, maxAttempts: 3, retryOn: [403] });
    const relay = memoryRelay({ subscriptions: [aSubscription({ policy })], answers: [403, 403, 403, 403] });
    await relay.accept();
    await relay.runToEnd();
    expect(relay.requests).toHaveLength(3);
    expect(relay.delivery()).toMatchObject({ status: "dead_lettered", deadLetterReason: "exhausted" });
    expect(relay.delivery().attempts.map(({ number, statusCode }) => [number, statusCode])).toEqual([
      [1, 403],
      [2, 403],
      [3, 403],
    ]);
  });

  it("is dead-lettered at once when the failure is permanent", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers: [422] });
    await relay.accept();
    await relay.runToEnd();
    expect(relay.delivery()).toMatchObject({ status: "dead_lettered", deadLetterReason: "permanent" });
    expect(relay.deadLetters()).toHaveLength(1);
  });

  it("waits at least as long as Retry-After asks", async () => {
    const throttled = { status: 429, headers: [["retry-after", "120"]] as const };
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers: [throttled, 200] });
    await relay.accept();
    await relay.runToEnd();
    const [first, second] = relay.delivery().attempts;
    expect(first?.retryAfterSeconds).toBe(120);
    expect((second?.startedAtMs ?? 0) - (first?.startedAtMs ?? 0)).toBeGreaterThanOrEqual(120_000);
  });

  it.each([408, 413, 425, 429, 500, 502, 503, 504, 520, 301])(
    "waits as long as Retry-After asks with a %i that its policy retries",
    async (status) => {
      const policy = aPolicy({ retryOn: [413, 425, 301] });
      const asking = { status, headers: [["retry-after", "60"]] as const };
      const relay = memoryRelay({ subscriptions: [aSubscription({ policy })], answers: [asking, 200] });
      await relay.accept();
      await relay.runToEnd();
      const [first, second] = relay.delivery().attempts;
      expect(first).toMatchObject({ outcome: "retryable", retryAfterSeconds: 60, retryAfterText: "60" });
      expect(second?.delaySeconds).toBeGreaterThanOrEqual(60);
    },
  );

  it.each([
    [200, "delivered"],
    [301, "dead_lettered"],
    [400, "dead_lettered"],
    [413, "dead_lettered"],
  ])("takes no notice of Retry-After with a final %i", async (status, expected) => {
    const asking = { status, headers: [["retry-after", "60"]] as const };
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers: [asking] });
    await relay.accept();
    await relay.runToEnd();
    expect(relay.delivery()).toMatchObject({ status: expected, attemptsStarted: 1 });
    expect(relay.delivery().attempts[0]?.retryAfterSeconds).toBeNull();
  });

  it.each(["soon", "NaN", "120, 60", "-1", "Wed, 31 Feb 2099 07:28:00 GMT", "Wed, 21 Oct 2015 07:28:00 GMT"])(
    "goes by its schedule when Retry-After is %j, and keeps the text",
    async (text) => {
      const asking = { status: 429, headers: [["retry-after", text]] as const };
      const policy = aPolicy({ schedule: { kind: "fixed", baseSeconds: 50 }, jitter: 0 });
      const relay = memoryRelay({ subscriptions: [aSubscription({ policy })], answers: [asking, 200] });
      await relay.accept();
      await relay.runToEnd();
      const [first, second] = relay.delivery().attempts;
      expect(first).toMatchObject({ retryAfterSeconds: null, retryAfterText: text });
      expect(second?.delaySeconds).toBe(50);
    },
  );

  it.each(["9999999999", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])(
    "waits no longer than its cap when Retry-After is %j, and says so",
    async (text) => {
      const asking = { status: 503, headers: [["retry-after", text]] as const };
      const policy = aPolicy({ retryAfterCapSeconds: 300, jitter: 0 });
      const relay = memoryRelay({ subscriptions: [aSubscription({ policy })], answers: [asking, 200] });
      await relay.accept();
      await relay.runToEnd();
      const [first, second] = relay.delivery().attempts;
      expect(first).toMatchObject({ retryAfterClamped: true, retryAfterText: text });
      expect(second?.delaySeconds).toBe(300);
    },
  );

  it("goes by schedule when the next attempt is due beyond what SQS delays", async () => {
    const policy = aPolicy({ schedule: { kind: "table", delaysSeconds: [901] } });
    const relay = memoryRelay({ subscriptions: [aSubscription({ policy })], answers: [503, 200] });
    await relay.accept();
    await relay.invoke();
    expect(relay.queue.delivery.messages.size).toBe(0);
    expect([...relay.scheduler.schedules.keys()]).toEqual([
      `${relay.delivery().deliveryId}-2-${Math.ceil((relay.delivery().nextAttemptAtMs ?? 0) / 1000)}`,
    ]);
    await relay.runToEnd();
    expect(relay.scheduler.schedules.size).toBe(0);
    expect(relay.delivery().status).toBe("delivered");
  });

  it("hops by queue when no schedule can be made, and is not attempted early", async () => {
    const policy = aPolicy({ schedule: { kind: "table", delaysSeconds: [2000] } });
    const relay = memoryRelay({ subscriptions: [aSubscription({ policy })], answers: [503, 200] });
    relay.scheduler.scheduleDelivery = async () => Promise.reject(new Error("throttled"));
    await relay.accept();
    await relay.runToEnd();
    const [first, second] = relay.delivery().attempts;
    expect((second?.startedAtMs ?? 0) - (first?.startedAtMs ?? 0)).toBe(2_000_000);
  });

  it("is dead-lettered for its age when the next attempt would come after its time budget", async () => {
    const policy = aPolicy({ maxAgeSeconds: 15, maxAttempts: 10 });
    const relay = memoryRelay({ subscriptions: [aSubscription({ policy })], answers: [503, 503] });
    await relay.accept();
    await relay.runToEnd();
    expect(relay.delivery()).toMatchObject({
      status: "dead_lettered",
      deadLetterReason: "max_age",
      attemptsStarted: 2,
    });
  });

  it("is dead-lettered before the table forgets it, whatever its schedule says", async () => {
    const policy = aPolicy({ schedule: { kind: "fixed", baseSeconds: 86_400 }, maxAttempts: 1000 });
    // Its circuit stays closed: probes would be attempts beside the schedule.
    const circuit = { ...aSubscription().circuit, failureThreshold: 1000 };
    const relay = memoryRelay({ subscriptions: [aSubscription({ policy, circuit })], answers: Array(1000).fill(503) });
    await relay.accept();
    await relay.runToEnd();
    expect(relay.delivery()).toMatchObject({ status: "dead_lettered", deadLetterReason: "retention" });
    expect(relay.requests).toHaveLength(24);
  });

  it("carries the same webhook-id on every attempt and a signature of its own on each", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers: [503, 200] });
    await relay.accept();
    await relay.runToEnd();
    const header = (name: string) => relay.requests.map(({ headers }) => headers.find(([key]) => key === name)?.[1]);
    expect(new Set(header("webhook-id"))).toEqual(new Set([relay.delivery().deliveryId]));
    expect(new Set(header("webhook-signature")).size).toBe(2);
    expect(header("steadyhook-attempt")).toEqual(["1", "2"]);
  });
});

describe("an event that is received again", () => {
  it("is one delivery when ten equal ones arrive at the same moment", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()] });
    for (let copy = 0; copy < 10; copy++) await relay.accept();
    await relay.runToEnd();
    expect(relay.requests).toHaveLength(1);
    expect(relay.deliveries.deliveries.size).toBe(1);
  });

  it("is never sent with another body than the first", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()] });
    await relay.accept();
    const other = Buffer.from('{"other":true}');
    await relay.accept(anEvent(other), other);
    await relay.runToEnd();
    expect(relay.requests.map((request) => request.body.toString())).toEqual(["{}"]);
    expect(relay.logged.map((line) => line.message)).toContain("duplicate with another body, not sent");
  });
});

describe("fan-out", () => {
  it("makes one delivery per subscription, each with its own attempts", async () => {
    const subscriptions = ["sub_a", "sub_b", "sub_c"].map((subscriptionId) => aSubscription({ subscriptionId }));
    const relay = memoryRelay({ subscriptions, answers: [500, 200, 200, 200] });
    await relay.accept();
    await relay.runToEnd();
    expect(relay.requests).toHaveLength(4);
    expect([...relay.deliveries.deliveries.values()].map((each) => each.status)).toEqual(Array(3).fill("delivered"));
  });

  it("leaves out subscriptions of another type and deleted ones", async () => {
    const relay = memoryRelay({
      subscriptions: [
        aSubscription({ subscriptionId: "sub_a", types: ["invoice.*"] }),
        aSubscription({ subscriptionId: "sub_b", types: ["order.*"] }),
        aSubscription({ subscriptionId: "sub_c", deletedAtMs: 1 }),
      ],
    });
    const event = await relay.accept(anEvent(undefined, { type: "invoice.paid" }));
    await relay.runToEnd();
    expect(relay.requests).toHaveLength(1);
    expect(relay.events.events.get(event.eventId)?.subscriptionIds).toEqual(["sub_a"]);
  });

  it("keeps an event that nobody subscribed to", async () => {
    const relay = memoryRelay({ subscriptions: [] });
    const event = await relay.accept();
    await relay.runToEnd();
    expect(relay.events.events.get(event.eventId)?.subscriptionIds).toEqual([]);
  });

  it("does not send an event to a subscription that came after its first pass", async () => {
    const two = ["sub_a", "sub_b"].map((subscriptionId) => aSubscription({ subscriptionId }));
    const relay = memoryRelay({ subscriptions: two });
    await relay.accept();
    await relay.runToEnd();
    relay.subscriptions.set("sub_c", aSubscription({ subscriptionId: "sub_c" }));
    await relay.accept();
    await relay.runToEnd();
    expect(relay.requests).toHaveLength(2);
  });

  it("delivers a resent event that went to nobody the first time", async () => {
    const relay = memoryRelay({ subscriptions: [] });
    const event = await relay.accept();
    await relay.runToEnd();
    relay.subscriptions.set("sub_a", aSubscription());
    await relay.accept();
    await relay.runToEnd();
    expect(relay.delivery().status).toBe("delivered");
    expect(relay.events.events.get(event.eventId)?.subscriptionIds).toEqual(["sub_a"]);
  });

  it("repairs a delivery that it claimed as the only one, when another subscription came in between", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()] });
    await relay.accept();
    // The function dies between claim and record: nothing after the send happens.
    const { revive } = dyingDuringSends(relay);
    await relay.invoke();
    revive();
    relay.events.events.clear();
    expect(relay.delivery().status).toBe("attempting");
    relay.subscriptions.set("sub_b", aSubscription({ subscriptionId: "sub_b" }));
    await relay.runToEnd();
    expect(relay.delivery()).toMatchObject({ status: "delivered", attemptsStarted: 2 });
    expect(relay.delivery().attempts[0]?.outcome).toBe("unknown");
    expect(relay.delivery(anEvent(), "sub_b").status).toBe("delivered");
  });
});

describe("large contents", () => {
  it("rest in the bucket, and are sent byte for byte on every attempt", async () => {
    const random = seededRandom(7);
    const body = Buffer.from(Array.from({ length: 20_000 }, () => Math.floor(random() * 256)));
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers: [503, 200] });
    const event = await relay.accept(anEvent(body), body);
    await relay.runToEnd();
    expect(relay.events.events.get(event.eventId)?.content).toEqual({ at: "bucket", key: contentKey(event) });
    expect(relay.requests.map((request) => request.body.equals(body))).toEqual([true, true]);
  });
});

describe("a destination that says 410", () => {
  it("disables its subscription; the delivery and those that follow are parked, not lost", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers: [410] });
    await relay.accept();
    await relay.runToEnd();
    const later = anEvent(undefined, { eventId: "evt_00000000000000000000000002" });
    await relay.accept(later);
    await relay.runToEnd();
    expect(relay.gates.get("sub_a")).toMatchObject({ status: "disabled", statusReason: "gone" });
    expect(relay.delivery()).toMatchObject({ status: "parked", attemptsStarted: 1 });
    expect(relay.delivery(later)).toMatchObject({ status: "parked", attemptsStarted: 0 });
    expect(relay.requests).toHaveLength(1);
  });

  it("is a dead letter at once when that was the last attempt, and disables its subscription all the same", async () => {
    const policy = aPolicy({ maxAttempts: 1 });
    const relay = memoryRelay({ subscriptions: [aSubscription({ policy })], answers: [410] });
    await relay.accept();
    await relay.runToEnd();
    expect(relay.delivery()).toMatchObject({ status: "dead_lettered", deadLetterReason: "permanent" });
    expect(relay.gates.get("sub_a")).toMatchObject({ status: "disabled", statusReason: "gone" });
  });

  it("leaves the event's other subscription as it was", async () => {
    const other = aSubscription({ subscriptionId: "sub_b", url: "https://other.example/" });
    const relay = memoryRelay({ subscriptions: [aSubscription(), other] });
    const { send } = relay.context.sender;
    relay.context.sender.send = async (request) => ({
      ...(await send(request)),
      statusCode: request.url === other.url ? 200 : 410,
    });
    for (const number of [1, 2]) {
      await relay.accept(anEvent(undefined, { eventId: `evt_0000000000000000000000000${number}` }));
      await relay.runToEnd();
    }
    const statuses = (id: string) =>
      [...relay.deliveries.deliveries.values()].filter((d) => d.subscriptionId === id).map(({ status }) => status);
    expect(statuses("sub_a")).toEqual(["parked", "parked"]);
    expect(statuses("sub_b")).toEqual(["delivered", "delivered"]);
    expect(relay.gates.get("sub_b")?.status ?? "active").toBe("active");
    expect(relay.requests.map(({ url }) => url).filter((url) => url !== other.url)).toHaveLength(1);
  });

  it("dead-letters only that delivery when the policy does not believe it", async () => {
    const policy = aPolicy({ disableOnGone: false });
    const relay = memoryRelay({ subscriptions: [aSubscription({ policy })], answers: [410] });
    await relay.accept();
    await relay.runToEnd();
    expect(relay.gates.get("sub_a")?.status).toBe("active");
    expect(relay.delivery()).toMatchObject({ status: "dead_lettered", deadLetterReason: "permanent" });
  });
});

describe("a deleted subscription", () => {
  it("ends what comes while its deletion does not show in every cache, instead of parking it", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()] });
    relay.gates.set("sub_a", aGate({ status: "disabled", statusReason: "deleted" }));
    await relay.accept();
    await relay.runToEnd();
    expect(relay.delivery()).toMatchObject({ status: "dead_lettered", deadLetterReason: "subscription_deleted" });
  });

  it("ends its open deliveries quietly", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers: [503] });
    await relay.accept();
    await relay.invoke();
    relay.subscriptions.set("sub_a", aSubscription({ deletedAtMs: relay.clock.now() }));
    await relay.runToEnd();
    expect(relay.delivery()).toMatchObject({ status: "dead_lettered", deadLetterReason: "subscription_deleted" });
    expect(relay.deadLetters()).toEqual([]);
  });
});

describe("trouble on our side", () => {
  it("hands a message back untouched when too little of the invocation is left for an attempt", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()] });
    await relay.accept();
    const { open } = relay.context.subscriptions;
    relay.context.subscriptions.open = async (...which) => {
      // Slow reads before it took nearly all of the time.
      if (relay.requests.length === 0 && relay.deliveries.deliveries.size === 0) relay.clock.advance(76);
      relay.context.subscriptions.open = open;
      return open(...which);
    };
    await relay.invoke();
    expect(relay.requests).toHaveLength(0);
    expect(relay.deliveries.deliveries.size).toBe(0);
    await relay.runToEnd();
    expect(relay.delivery()).toMatchObject({ status: "delivered", attemptsStarted: 1 });
  });

  it("makes a fault of a message that it cannot read, with the reason, and works on the others", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()] });
    await relay.accept();
    relay.queue.delivery.send('{"v":9}');
    await relay.runToEnd();
    expect(relay.delivery().status).toBe("delivered");
    expect(relay.faulted).toMatchObject([{ queue: "delivery", body: '{"v":9}' }]);
    expect(relay.faulted[0]?.cause).toContain("UnreadableMessageError: v is not a version");
  });

  it("hands a message back with growing pauses, and makes a fault of it at the tenth receive", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()] });
    await relay.accept();
    const fail = async () => Promise.reject(new Error("table on fire"));
    Object.assign(relay.deliveries, { replaceDelivery: fail, findDeliveries: fail });
    const pauses: number[] = [];
    for (let receive = 1; receive < 10; receive++) {
      await relay.invoke();
      const pause = ((relay.queue.delivery.nextVisibleAtMs() ?? 0) - relay.clock.now()) / 1000;
      pauses.push(pause);
      relay.clock.advance(pause);
    }
    expect(pauses).toEqual([10, 20, 40, 80, 160, 300, 300, 300, 300]);
    expect(relay.faulted).toEqual([]);
    await relay.invoke();
    expect(relay.faulted).toMatchObject([{ queue: "delivery", cause: "Error: table on fire" }]);
    expect(relay.queue.delivery.messages.size).toBe(0);
  });

  it("lets a message that comes back from the faults repair the attempt that it had claimed", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()] });
    await relay.accept();
    const { revive } = dyingDuringSends(relay);
    for (let receive = 1; receive <= 10; receive++) {
      await relay.invoke();
      relay.clock.set(relay.queue.delivery.nextVisibleAtMs() ?? relay.clock.now());
    }
    revive();
    const [fault] = relay.faulted;
    expect(relay.delivery().status).toBe("attempting");
    relay.queue.delivery.send(continueAs(fault?.body ?? "", fault?.messageId ?? ""));
    await relay.runToEnd();
    expect(outcomes(relay.delivery()).map(([outcome]) => outcome)).toEqual(["unknown", "delivered"]);
  });

  it("counts an attempt whose function died as unknown, and makes the next one by the policy", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()] });
    await relay.accept();
    const { revive } = dyingDuringSends(relay);
    await relay.invoke();
    revive();
    await relay.runToEnd();
    const delivery = relay.delivery();
    expect(outcomes(delivery)).toEqual([
      ["unknown", 0],
      ["delivered", 10],
    ]);
  });

  it("never attempts while the lease of a dead function still runs", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()] });
    await relay.accept();
    const { revive } = dyingDuringSends(relay);
    await relay.invoke();
    revive();
    const leaseUntilMs = relay.delivery().claim?.leaseUntilMs ?? 0;
    await relay.runToEnd();
    expect(relay.delivery().attempts[1]?.startedAtMs).toBeGreaterThanOrEqual(leaseUntilMs);
  });

  it("announces the retry again when the announcement was cut off, without a second attempt", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers: [503, 200] });
    await relay.accept();
    const send = relay.queue.sendDeliveries.bind(relay.queue);
    let cut = true;
    relay.queue.sendDeliveries = async (messages, delay) => {
      // The message is sent, but the answer is lost: both the copy and the repeated one arrive.
      await send(messages, delay);
      if (cut) {
        cut = false;
        throw new Error("connection lost");
      }
    };
    await relay.runToEnd();
    expect(relay.requests).toHaveLength(2);
    expect(relay.delivery()).toMatchObject({ status: "delivered", attemptsStarted: 2 });
  });

  it("repeats the dead letter when its announcement was cut off", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()], answers: [422] });
    await relay.accept();
    const send = relay.queue.sendDeadLetter.bind(relay.queue);
    let cut = true;
    relay.queue.sendDeadLetter = async (message) => {
      if (!cut) return send(message);
      cut = false;
      throw new Error("connection lost");
    };
    await relay.runToEnd();
    expect(relay.deadLetters()).toHaveLength(1);
  });

  it("takes a write for its own whose answer was lost", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()] });
    await relay.accept();
    const replace = relay.deliveries.replaceDelivery.bind(relay.deliveries);
    relay.deliveries.replaceDelivery = async (previous, next) => {
      await replace(previous, next);
      return false;
    };
    await relay.runToEnd();
    expect(relay.delivery()).toMatchObject({ status: "delivered", attemptsStarted: 1 });
    expect(relay.requests).toHaveLength(1);
  });

  it("records an attempt only after its event is stored", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription()] });
    await relay.accept();
    relay.events.storeEvent = async () => Promise.reject(new Error("throttled"));
    await relay.invoke();
    expect(relay.delivery().status).toBe("attempting");
    expect(relay.queue.delivery.messages.size).toBe(1);
  });
});
