import { describe, expect, it } from "vitest";
import { MemoryConfig } from "../../../functions/adapters/memory/memory-config.js";
import { MemoryGates } from "../../../functions/adapters/memory/memory-gates.js";
import { MemorySubscriptionConfigs } from "../../../functions/adapters/memory/memory-subscription-configs.js";
import { MemorySubscriptionStore } from "../../../functions/adapters/memory/memory-subscription-store.js";
import type { AdminContext } from "../../../functions/app/admin/context.js";
import type { JsonObject } from "../../../functions/app/admin/merge-patch.js";
import { pauseSubscription, resumeSubscription } from "../../../functions/app/admin/pause.js";
import { changeSubscription } from "../../../functions/app/admin/subscriptions.js";
import { settingsOf } from "../../simulation/relay.js";
import { anEvent, aSubscription } from "../../support/builders.js";
import { aSourceRecord, aSubscriptionRecord } from "../../support/config-records.js";
import { type Answer, memoryRelay } from "../../support/memory-relay.js";

const old = "https://old.example/hooks";
const moved = "https://new.example/hooks";
const defaults = { policyPreset: "default", connectSeconds: 15, readSeconds: 60 };
const ifAny = { ifMatch: null, ifNoneMatch: null };
const policy = { schedule: { kind: "fixed", baseSeconds: 60 }, jitter: 0 } as const;

/**
 * A relay whose one subscription comes from the stores that the admin API writes: the delivery function reads it as a
 * warm environment does, and its ticks through a memory of their own.
 */
async function warmRelay(answers: Answer[], circuit: { failureThreshold: number } | null = null) {
  const relay = memoryRelay({ subscriptions: [aSubscription()], answers });
  const { now } = relay.clock;
  const config = new MemoryConfig(now);
  const subscriptions = new MemorySubscriptionStore(config, 30);
  config.sources.set("demo", { record: aSourceRecord({ sourceId: "demo" }), secrets: {} });
  const secrets = [{ id: "sec_a", createdAtMs: 0 }];
  const record = aSubscriptionRecord({ subscriptionId: "sub_a", sourceId: "demo", url: old, policy, circuit, secrets });
  await subscriptions.createSubscription(record, { sec_a: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" });
  const gates = new MemoryGates(config);
  Object.assign(relay.context, { subscriptions: new MemorySubscriptionConfigs(config, defaults), gates });
  Object.assign(relay.ticks, { subscriptions: settingsOf(new MemorySubscriptionConfigs(config, defaults)), gates });
  const entropy = Buffer.alloc;
  const parts: Partial<AdminContext> = { subscriptions, control: relay.queue, now, entropy, defaults };
  const admin = { ...parts, deliveryTimeoutSeconds: 90 } as AdminContext;
  let events = 0;
  return {
    ...relay,
    gate: () => config.gates.get("sub_a"),
    urls: () => relay.requests.map(({ url }) => url),
    change: (patch: JsonObject) => changeSubscription(admin, "sub_a", patch, ifAny),
    pause: () => pauseSubscription(admin, "sub_a", ifAny),
    resume: () => resumeSubscription(admin, "sub_a", ifAny),
    async accept() {
      events += 1;
      return relay.accept(
        anEvent(undefined, { eventId: `evt_${String(events).padStart(26, "0")}`, receivedAtMs: now() }),
      );
    },
    /** Something happens between a change's look at the subscription and its write. */
    whileChanging(happens: () => Promise<unknown>) {
      const { openSecrets } = subscriptions;
      subscriptions.openSecrets = async (record) => {
        await happens();
        return openSecrets.call(subscriptions, record);
      };
    },
    /** Works off everything that is visible now, without moving the clock. */
    async settle() {
      while ((await relay.invoke()) + (await relay.tick()) > 0);
    },
  };
}

describe("a subscription that a 410 disabled", () => {
  it("delivers to its new URL what a resume right after the change lets go, and stays active", async () => {
    const relay = await warmRelay([410, 200, 200]);
    const first = await relay.accept();
    await relay.settle();
    const second = await relay.accept();
    await relay.settle();
    expect(relay.gate()).toMatchObject({ status: "disabled", statusReason: "gone" });
    await relay.change({ url: moved });
    await relay.resume();
    await relay.settle();
    expect(relay.urls()).toEqual([old, moved, moved]);
    expect([first, second].map((event) => relay.delivery(event).status)).toEqual(["delivered", "delivered"]);
    expect(relay.gate()).toMatchObject({ status: "active" });
  });
});

describe("a change of the URL without a move of the gate", () => {
  it("is known within 10 s, and a 410 of the old URL is no verdict on the new one meanwhile", async () => {
    const relay = await warmRelay([200, 410, 200]);
    await relay.accept();
    await relay.settle();
    await relay.change({ url: moved });
    const event = await relay.accept();
    await relay.settle();
    expect(relay.urls()).toEqual([old, old]);
    expect(relay.gate()).toMatchObject({ status: "active" });
    expect(relay.delivery(event)).toMatchObject({
      status: "retry_scheduled",
      attempts: [{ statusCode: 410, outcome: "retryable" }],
    });
    await relay.runToEnd();
    expect(relay.urls()).toEqual([old, old, moved]);
    expect(relay.delivery(event).status).toBe("delivered");
  });

  it("of anything else leaves a 410 what it is", async () => {
    const relay = await warmRelay([200, 410]);
    await relay.accept();
    await relay.settle();
    await relay.change({ description: "Orders" });
    await relay.resume();
    await relay.accept();
    await relay.settle();
    expect(relay.gate()).toMatchObject({ status: "disabled", statusReason: "gone" });
  });
});

describe("a new URL while the circuit is open", () => {
  it("is probed at once, and closes the circuit", async () => {
    const relay = await warmRelay([503, 200], { failureThreshold: 1 });
    await relay.accept();
    await relay.settle();
    const parked = await relay.accept();
    await relay.settle();
    expect(relay.gate()?.circuit).toBeDefined();
    await relay.change({ url: moved });
    await relay.settle();
    expect(relay.urls()).toEqual([old, moved]);
    expect(relay.delivery(parked).status).toBe("delivered");
    expect(relay.gate()?.circuit).toBeUndefined();
  });

  it("is probed also where the circuit opens, or its gate moves, while the change is made", async () => {
    const relay = await warmRelay([503, 200], { failureThreshold: 1 });
    await relay.accept();
    relay.whileChanging(() => relay.settle());
    await relay.change({ url: moved });
    expect(relay.gate()).toMatchObject({ subscriptionVersion: 2, circuit: { probeAtMs: relay.clock.now() } });
  });

  it.each([503, 200, 410, 429])("is not judged by a probe of the old one that ends with %i later", async (late) => {
    const relay = await warmRelay([503], { failureThreshold: 1 });
    await relay.accept();
    await relay.settle();
    const parked = await relay.accept();
    await relay.settle();
    relay.clock.advance(20);
    const { send } = relay.context.sender;
    relay.answers.push({ status: late, headers: [["retry-after", "600"]] }, 200);
    relay.context.sender.send = async (request) => {
      relay.context.sender.send = send;
      await relay.change({ url: moved });
      return send(request);
    };
    await relay.tick();
    await relay.invoke();
    expect(relay.urls()).toEqual([old, old]);
    expect(relay.gate()).toMatchObject({ status: "active", circuit: { probeAtMs: relay.clock.now() } });
    expect(relay.gate()?.heldUntilMs).toBeUndefined();
    const fresh = await relay.accept();
    await relay.settle();
    expect(relay.urls().at(2)).toBe(moved);
    expect([parked, fresh].map((event) => relay.delivery(event).attempts.at(-1)?.statusCode)).toContain(200);
  });
});

describe("a tick", () => {
  it("lets go as fast as the subscription was set to before the resume, not as it remembers it", async () => {
    const relay = await warmRelay([]);
    const letGo = async () => {
      await relay.pause();
      for (let accepted = 0; accepted < 8; accepted++) await relay.accept();
      await relay.settle();
      await relay.resume();
      await relay.tick();
      return relay.queue.delivery.messages.size;
    };
    expect(await letGo()).toBe(8);
    await relay.settle();
    relay.clock.advance(5);
    await relay.change({ maxPerSecond: 1 });
    expect(await letGo()).toBe(1);
  });
});
