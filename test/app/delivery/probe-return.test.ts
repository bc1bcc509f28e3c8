import { beforeEach, describe, expect, it } from "vitest";
import { attemptMessage } from "../../../functions/app/delivery/announce.js";
import { sendTick } from "../../../functions/app/ticks.js";
import { circuitState, probeLeaseMs, startProbe } from "../../../functions/core/circuit.js";
import { deadLetter } from "../../../functions/core/delivery.js";
import { nextGeneration } from "../../../functions/core/gate.js";
import type { Delivery, EventMeta, Gate } from "../../../functions/core/model.js";
import { withTick } from "../../../functions/core/ticks.js";
import { anEvent, aPolicy, aSubscription } from "../../support/builders.js";
import { memoryRelay } from "../../support/memory-relay.js";

/** Parked at an open circuit with a budget of a minute: one event of now, and one forty seconds later. */
async function relayWithTwoParked(cooldownMs = 15_000) {
  const relay = memoryRelay({ subscriptions: [aSubscription({ policy: aPolicy({ maxAgeSeconds: 60 }) })] });
  const gate = () => relay.gates.get("sub_a") as Gate;
  const openedAtMs = relay.clock.now();
  const circuit = { openedAtMs, probeAtMs: openedAtMs + cooldownMs, probes: 0, refusedProbes: 0 };
  const active = { status: "active", statusReason: null } as const;
  relay.gates.set("sub_a", withTick({ ...nextGeneration(gate(), active, openedAtMs), circuit }, circuit.probeAtMs));
  await sendTick(relay.context, gate());
  const parkOne = async (eventId: string): Promise<EventMeta> => {
    const event = anEvent(undefined, { eventId, receivedAtMs: relay.clock.now() });
    await relay.accept(event);
    await relay.invoke();
    return event;
  };
  const first = await parkOne("evt_1");
  relay.clock.advance(40);
  const second = await parkOne("evt_2");
  relay.clock.advance(5);
  return { relay, gate, first, second };
}

describe("a probe whose delivery ends before its attempt", () => {
  let found: Awaited<ReturnType<typeof relayWithTwoParked>>;
  beforeEach(async () => {
    found = await relayWithTwoParked();
    const { relay, first, gate } = found;
    expect(relay.delivery(first).status).toBe("parked");
    relay.queue.control.messages.clear();
    const { deliveryId } = relay.delivery(first);
    const probing = startProbe(gate(), deliveryId, relay.clock.now()) as Gate;
    relay.gates.set("sub_a", withTick(probing, relay.clock.now() + probeLeaseMs));
  });

  const sendProbe = async () => {
    const { relay, first } = found;
    await relay.queue.sendDeliveries([attemptMessage(relay.delivery(first), relay.clock.now())], 0, "fast");
  };
  const endFirst = (): Delivery => {
    const { relay, first } = found;
    const cancelled = deadLetter(relay.delivery(first), "cancelled", relay.clock.now());
    relay.deliveries.deliveries.set(cancelled.deliveryId, cancelled);
    return cancelled;
  };

  /** The circuit is open, and its next probe is made with the other delivery, without any time passing. */
  async function expectNextProbeAtOnce() {
    const { relay, gate, second } = found;
    expect(circuitState(gate(), relay.clock.now())).toBe("open");
    expect(gate().circuit).toMatchObject({ probes: 0 });
    const atMs = relay.clock.now();
    await relay.tick();
    expect(gate().circuit?.probe?.deliveryId).toBe(relay.delivery(second).deliveryId);
    await relay.invoke();
    expect([relay.delivery(second).status, gate().circuit, relay.clock.now()]).toEqual(["delivered", undefined, atMs]);
  }

  it("is given back when its time budget is over", async () => {
    const { relay, first } = found;
    await sendProbe();
    relay.clock.advance(16);
    await relay.invoke();
    expect(relay.delivery(first)).toMatchObject({ deadLetterReason: "max_age", attemptsStarted: 0 });
    await expectNextProbeAtOnce();
  });

  it("is given back when the event was erased, and its delivery is ended by its message", async () => {
    const { relay, first } = found;
    await sendProbe();
    await relay.events.eraseEvent(first.eventId, relay.clock.now());
    await relay.invoke();
    expect(relay.delivery(first)).toMatchObject({ deadLetterReason: "cancelled", attemptsStarted: 0 });
    await expectNextProbeAtOnce();
  });

  it("is given back by its message when somebody else has ended it", async () => {
    await sendProbe();
    endFirst();
    await found.relay.invoke();
    await expectNextProbeAtOnce();
  });

  it("is given back by the message that ended it, received again after its function died", async () => {
    const { relay, gate, first } = found;
    await sendProbe();
    relay.clock.advance(16);
    const { gates } = relay.context;
    const replaceGate = gates.replaceGate.bind(gates);
    gates.replaceGate = () => Promise.reject(new Error("the function is gone"));
    await relay.invoke();
    expect(relay.delivery(first).deadLetterReason).toBe("max_age");
    expect(circuitState(gate(), relay.clock.now())).toBe("half_open");
    gates.replaceGate = replaceGate;
    relay.clock.set(relay.queue.delivery.nextVisibleAtMs() ?? 0);
    await relay.invoke();
    await expectNextProbeAtOnce();
  });

  it("is left alone by the end of another one", async () => {
    const { relay, gate, second } = found;
    await relay.queue.sendDeliveries([attemptMessage(relay.delivery(second), relay.clock.now())], 0, "fast");
    relay.clock.advance(56);
    const before = gate();
    await relay.invoke();
    expect(relay.delivery(second).deadLetterReason).toBe("max_age");
    expect(gate().circuit).toEqual(before.circuit);
  });
});

describe("a tick that finds nobody to probe with", () => {
  it("leaves the probe to the next delivery that comes along", async () => {
    const { relay, gate } = await relayWithTwoParked(101_000);
    // Too old by now, and still parked: no sweep has come for them.
    relay.clock.advance(56);
    await relay.tick();
    expect(gate()).toMatchObject({ holdsParked: true, circuit: { probes: 0 } });
    const event = anEvent(undefined, { eventId: "evt_3", receivedAtMs: relay.clock.now() });
    await relay.accept(event);
    await relay.invoke();
    expect([relay.delivery(event).status, gate().circuit]).toEqual(["delivered", undefined]);
  });
});
