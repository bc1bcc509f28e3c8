import { describe, expect, it } from "vitest";
import { passageOf } from "../../../functions/app/delivery/gate-check.js";
import { newDelivery } from "../../../functions/core/delivery.js";
import type { Delivery, Gate, OpenCircuit } from "../../../functions/core/model.js";
import { aPolicy, aSubscription } from "../../support/builders.js";
import { memoryRelay } from "../../support/memory-relay.js";

/** A relay whose only subscription's circuit may be probed now. */
function aRelay(circuit: Partial<OpenCircuit> = {}, changes: Partial<Gate> = {}) {
  const subscription = aSubscription();
  const { subscriptionId, sourceId } = subscription;
  const relay = memoryRelay({ subscriptions: [subscription] });
  const nowMs = relay.clock.now();
  const openedAtMs = nowMs - 120_000;
  const found = relay.gates.get(subscriptionId) as Gate;
  const gate: Gate = {
    ...found,
    ...changes,
    circuit: { openedAtMs, probeAtMs: nowMs, probes: 0, refusedProbes: 0, ...circuit },
  };
  relay.gates.set(subscriptionId, gate);
  const aDelivery = (deliveryId: string) =>
    newDelivery({ deliveryId, eventId: "evt_1", sourceId, subscriptionId, bodySha256: "", receivedAtMs: nowMs }, nowMs);
  const pass = (delivery: Delivery) => passageOf(relay.context, gate, delivery, aPolicy(), nowMs + 95_000);
  return { relay, nowMs, gate, aDelivery, pass, stored: () => relay.gates.get(subscriptionId) };
}

describe("deliveries at an open circuit", () => {
  it("that come along together make one probe", async () => {
    const { pass, aDelivery, stored } = aRelay();
    const passages = await Promise.all(["dlv_1", "dlv_2"].map((id) => pass(aDelivery(id))));
    expect(passages.filter((passage) => typeof passage === "object" && passage.isProbe)).toHaveLength(1);
    expect(stored()?.circuit?.probes).toBe(1);
  });

  it("keep the probe until its attempt is over, when its message comes late in its lease", async () => {
    const { nowMs } = aRelay();
    const late = aRelay({ probe: { deliveryId: "dlv_1", untilMs: nowMs + 1_000 } });
    expect(await late.pass(late.aDelivery("dlv_1"))).toMatchObject({ isProbe: true });
    expect(late.stored()?.circuit?.probe?.untilMs).toBe(nowMs + 95_000);
    expect(late.stored()?.tick?.dueAtMs).toBe(nowMs + 96_000);
    expect(late.relay.queue.control.messages.size).toBe(1);
  });

  it("write nothing for a probe whose lease is long enough", async () => {
    const { nowMs } = aRelay();
    const early = aRelay({ probe: { deliveryId: "dlv_1", untilMs: nowMs + 95_000 } });
    expect(await early.pass(early.aDelivery("dlv_1"))).toMatchObject({ isProbe: true });
    expect(early.stored()).toBe(early.gate);
  });

  it("are no probe while the destination has asked for a pause", async () => {
    const { nowMs } = aRelay();
    const probe = { deliveryId: "dlv_1", untilMs: nowMs + 180_000 };
    const held = aRelay({ probe }, { heldUntilMs: nowMs + 60_000 });
    expect(await held.pass(held.aDelivery("dlv_1"))).toBe("closed");
  });

  it("are no probe as copies of a first message: its delivery has begun", async () => {
    const { relay, pass, aDelivery, stored } = aRelay();
    const delivery = aDelivery("dlv_1");
    await relay.deliveries.replaceDelivery(null, { ...delivery, status: "delivered" });
    expect(await pass(delivery)).toBe("closed");
    expect(stored()?.circuit?.probes).toBe(0);
  });
});
