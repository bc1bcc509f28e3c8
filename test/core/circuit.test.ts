import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  circuitState,
  closeCircuit,
  cooldownMs,
  isLeftToPassers,
  isProbe,
  lastAttemptProbeAtMs,
  openCircuit,
  probeCandidate,
  probeLeaseMs,
  returnProbe,
  settleProbe,
  startProbe,
} from "../../functions/core/circuit.js";
import { isDeleted, isPassable, nextGeneration, releasesParked } from "../../functions/core/gate.js";
import type { Delivery, Gate } from "../../functions/core/model.js";
import { presetCircuit } from "../../functions/core/presets.js";
import { aGate, aRelease } from "../support/builders.js";

const settings = presetCircuit("default");
const even = () => 0.5;
const openedAtMs = 1_000_000_000;
const opened = (gate: Partial<Gate> = {}) => openCircuit(aGate(gate), settings, openedAtMs, even);
/** Half open, by a probe that began 30 s after the opening. */
const probedAtMs = openedAtMs + 30_000;
const probing = (gate = opened()) => startProbe(gate, "dlv_1", probedAtMs) as Gate;
const settle = (gate: Gate, outcome: "delivered" | "retryable" | "permanent" | "unknown", nowMs = probedAtMs + 100) =>
  settleProbe(gate, { deliveryId: "dlv_1", outcome }, settings, nowMs, even);

describe("the cooldown", () => {
  it.each([
    [0, 15],
    [300, 15],
    [600, 30],
    [3_600, 180],
    [86_400, 900],
    [-60, 15],
  ])("is 5 % of the time open within its limits: open for %i s, %i s", (openSeconds, expected) => {
    expect(cooldownMs(openedAtMs, settings, openedAtMs + openSeconds * 1000, even)).toBe(expected * 1000);
  });

  it("always lies within ± 20 % of its limits", () => {
    const openFor = fc.integer({ min: 0, max: 30 * 86_400_000 });
    fc.assert(
      fc.property(openFor, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (openMs, random) => {
        const ms = cooldownMs(openedAtMs, settings, openedAtMs + openMs, () => random);
        expect(ms).toBeGreaterThanOrEqual(12_000);
        expect(ms).toBeLessThanOrEqual(1_080_000);
      }),
    );
  });

  it("makes for few probes of a long outage, whatever the dice say", () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })), (stream) => {
        const random = () => stream.next().value as number;
        let probes = 0;
        for (let nowMs = openedAtMs; nowMs < openedAtMs + 86_400_000; probes++) {
          nowMs += cooldownMs(openedAtMs, settings, nowMs, random);
        }
        // Some 20 in the first five minutes, 60 until the longest cooldown is reached, four or five an hour from then on.
        expect(probes).toBeLessThan(250);
        expect(probes).toBeGreaterThan(100);
      }),
      { numRuns: 20 },
    );
  });
});

describe("a circuit", () => {
  it("that opens begins a new generation, without counts, and is probed after its cooldown", () => {
    const counts = { inARow: 5, failures: 5, attempts: 5, minute: 1, minuteAttempts: 5, minuteFailures: 5 };
    const gate = opened({ generation: 3, counts });
    expect(gate).toMatchObject({ generation: 4, changedAtMs: openedAtMs, circuit: { openedAtMs, probes: 0 } });
    expect(gate.circuit?.probeAtMs).toBe(openedAtMs + 15_000);
    expect(gate.counts).toBeUndefined();
    expect([isPassable(gate, openedAtMs), releasesParked(gate, openedAtMs)]).toEqual([false, false]);
  });

  it("that opens keeps what the destination has asked for: its probes wait for it, too", () => {
    expect(opened({ heldUntilMs: openedAtMs + 600_000 }).heldUntilMs).toBe(openedAtMs + 600_000);
    expect(opened().heldUntilMs).toBeUndefined();
  });

  it("is half open while its probe is under way, and open again when that is waited for in vain", () => {
    expect(circuitState(aGate(), openedAtMs)).toBe("closed");
    expect(circuitState(opened(), openedAtMs)).toBe("open");
    expect(circuitState(probing(), probedAtMs)).toBe("half_open");
    expect(circuitState(probing(), probedAtMs + probeLeaseMs)).toBe("open");
  });

  it("that closes ends the generation, and the release of the one before", () => {
    const release = aRelease(1);
    const closed = closeCircuit({ ...probing(), release }, probedAtMs);
    expect(closed).toMatchObject({ generation: 2, status: "active", release: { ...release, endedAtMs: probedAtMs } });
    expect(closed.circuit).toBeUndefined();
    expect(isPassable(closed, probedAtMs)).toBe(true);
  });
});

describe("a probe", () => {
  it("is made from its time on, one at a time", () => {
    expect(startProbe(opened(), "dlv_1", openedAtMs + 14_999)).toBeNull();
    expect(startProbe(opened(), "dlv_1", openedAtMs + 15_000)).not.toBeNull();
    expect(startProbe(probing(), "dlv_2", probedAtMs + 1)).toBeNull();
    expect(startProbe(probing(), "dlv_2", probedAtMs + probeLeaseMs)?.circuit).toMatchObject({
      probe: { deliveryId: "dlv_2" },
      probes: 2,
    });
  });

  it("is made at an active gate with an open circuit only", () => {
    expect(startProbe(aGate(), "dlv_1", probedAtMs)).toBeNull();
    expect(startProbe({ ...opened(), status: "paused" }, "dlv_1", probedAtMs)).toBeNull();
  });

  it("is one delivery, while its lease lasts", () => {
    expect(isProbe(probing(), "dlv_1", probedAtMs)).toBe(true);
    expect(isProbe(probing(), "dlv_2", probedAtMs)).toBe(false);
    expect(isProbe(probing(), "dlv_1", probedAtMs + probeLeaseMs)).toBe(false);
    expect(isProbe({ ...probing(), status: "paused" }, "dlv_1", probedAtMs)).toBe(false);
  });

  it("that is delivered closes the circuit", () => {
    expect(settle(probing(), "delivered")).toMatchObject({ generation: 2, status: "active" });
    expect(settle(probing(), "delivered")?.circuit).toBeUndefined();
  });

  it.each(["retryable", "unknown"] as const)(
    "that comes to %s costs one cooldown more, and no generation",
    (outcome) => {
      const settled = settle(probing(), outcome, openedAtMs + 3_600_000);
      expect(settled?.generation).toBe(1);
      expect(settled?.circuit).toMatchObject({ openedAtMs, probes: 1, probedAtMs, refusedProbes: 0 });
      expect(settled?.circuit?.probe).toBeUndefined();
      expect(settled?.circuit?.probeAtMs).toBe(openedAtMs + 3_600_000 + 180_000);
    },
  );

  it("that is refused for good is followed soon by the next; three in a row are believed", () => {
    let gate = probing();
    for (const refused of [1, 2]) {
      const nowMs = probedAtMs + refused * 3_600_000;
      gate = settle(gate, "permanent", nowMs) as Gate;
      expect(gate.circuit).toMatchObject({ refusedProbes: refused, probeAtMs: nowMs + 15_000 });
      gate = startProbe(gate, "dlv_1", nowMs + 15_000) as Gate;
    }
    expect(settle(gate, "permanent")?.circuit).toBeUndefined();
    // A failure in between begins the count anew.
    const failed = startProbe(settle(gate, "retryable") as Gate, "dlv_1", probedAtMs + 86_400_000) as Gate;
    expect(settle(failed, "permanent")?.circuit?.refusedProbes).toBe(1);
  });

  it("changes nothing when it is another circuit's", () => {
    expect(settle(aGate(), "delivered")).toBeNull();
    expect(settle(opened(), "delivered")).toBeNull();
    expect(
      settleProbe(probing(), { deliveryId: "dlv_2", outcome: "delivered" }, settings, probedAtMs, even),
    ).toBeNull();
  });
});

describe("the delivery to probe with", () => {
  const nowMs = 1_000_000;
  const delivery = (deliveryId: string, attemptsStarted: number, receivedAtMs: number, parkedUntilMs: number | null) =>
    ({ deliveryId, attemptsStarted, receivedAtMs, parkedUntilMs, replayOf: null }) as Delivery;
  const policy = { maxAttempts: 5, maxAgeSeconds: null };
  const chosen = (
    parked: readonly Delivery[],
    given = policy as { maxAttempts: number; maxAgeSeconds: number | null },
  ) => probeCandidate(parked, given, nowMs)?.delivery.deliveryId;

  it("has the fewest attempts, and of these waits for longest", () => {
    const parked = [delivery("a", 2, 1, null), delivery("b", 1, 3, null), delivery("c", 1, 2, null)];
    expect(probeCandidate(parked, policy, nowMs)).toMatchObject({
      delivery: { deliveryId: "c" },
      isLastAttempt: false,
      hasRoom: true,
    });
    expect(probeCandidate([], policy, nowMs)).toBeNull();
  });

  it("has a minute left, or half of a short time budget, whatever has fewer attempts", () => {
    const soon = delivery("soon", 0, 1, nowMs + 59_999);
    const later = delivery("later", 1, 2, nowMs + 60_000);
    expect(chosen([soon, later])).toBe("later");
    const short = { maxAttempts: 5, maxAgeSeconds: 20 };
    const received = (ageMs: number) => delivery(`${ageMs}`, 0, nowMs - ageMs, null);
    expect(chosen([received(15_000), received(9_000), received(3_000)], short)).toBe("9000");
  });

  it("is the one with the most time left where all are nearly over, and none whose wait is over", () => {
    const parked = [delivery("over", 0, 1, nowMs), delivery("a", 0, 2, nowMs + 1), delivery("b", 1, 3, nowMs + 2)];
    expect(probeCandidate(parked, policy, nowMs)).toMatchObject({ delivery: { deliveryId: "b" }, hasRoom: false });
    expect(chosen(parked.slice(0, 1))).toBeUndefined();
  });

  it("goes by the time budget of now: one that was made shorter is over earlier than was thought", () => {
    const parked = [delivery("a", 0, nowMs - 20_000, nowMs + 3_600_000)];
    expect(chosen(parked, { maxAttempts: 5, maxAgeSeconds: 20 })).toBeUndefined();
  });

  it("is never on its last attempt while another is not", () => {
    const deliveries = fc.array(
      fc.record({
        deliveryId: fc.uuid(),
        attemptsStarted: fc.nat(6),
        receivedAtMs: fc.nat(),
        parkedUntilMs: fc.integer({ min: nowMs + 1, max: nowMs + 120_000 }),
      }),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(deliveries, fc.integer({ min: 1, max: 7 }), (parked, maxAttempts) => {
        const found = probeCandidate(parked as unknown as Delivery[], { maxAttempts, maxAgeSeconds: null }, nowMs);
        const others = parked.some(({ attemptsStarted }) => attemptsStarted + 1 < maxAttempts);
        expect(found?.isLastAttempt).toBe(!others);
      }),
    );
  });
});

describe("a probe that is given back", () => {
  it("leaves the circuit as if it had not been made: open, and the next one at once", () => {
    const before = opened({ holdsParked: true });
    expect(returnProbe(probing(before), "dlv_1")).toEqual(before);
    const second = settle(probing(before), "retryable") as Gate;
    const again = startProbe(second, "dlv_2", probedAtMs + 60_000) as Gate;
    expect(returnProbe(again, "dlv_2")).toEqual(second);
    expect(startProbe(returnProbe(again, "dlv_2") as Gate, "dlv_3", probedAtMs + 60_001)).not.toBeNull();
  });

  it("is this delivery's and this circuit's", () => {
    expect(returnProbe(probing(), "dlv_2")).toBeNull();
    expect(returnProbe(opened(), "dlv_1")).toBeNull();
    expect(returnProbe(aGate(), "dlv_1")).toBeNull();
  });
});

describe("a delivery that comes along", () => {
  const probeAtMs = openedAtMs + 15_000;
  const waiting = { ...opened({ holdsParked: true }), tick: { seq: 1, generation: 1, dueAtMs: probeAtMs, by: null } };

  it("may be the probe when a tick has found nobody, or is late, or has nobody to find", () => {
    const foundNobody = { ...waiting, tick: { ...waiting.tick, dueAtMs: probeAtMs + 15_000 } };
    expect(isLeftToPassers(waiting, probeAtMs + 29_999)).toBe(false);
    expect(isLeftToPassers(waiting, probeAtMs + 30_000)).toBe(true);
    expect(isLeftToPassers(foundNobody, probeAtMs)).toBe(true);
    expect(isLeftToPassers({ ...waiting, holdsParked: false }, probeAtMs)).toBe(true);
    expect(isLeftToPassers(aGate(), probeAtMs)).toBe(false);
  });
});

describe("a probe with a last attempt", () => {
  it("is made a minute after the opening, then each time that the outage has doubled", () => {
    const circuit = { openedAtMs, probeAtMs: 0, probes: 0, refusedProbes: 0 };
    expect(lastAttemptProbeAtMs(circuit)).toBe(openedAtMs + 60_000);
    expect(lastAttemptProbeAtMs({ ...circuit, probedAtMs: openedAtMs + 60_000 })).toBe(openedAtMs + 120_000);
    expect(lastAttemptProbeAtMs({ ...circuit, probedAtMs: openedAtMs + 3_600_000 })).toBe(openedAtMs + 7_200_000);
  });

  it("costs a dozen deliveries in a day at the most", () => {
    let probes = 0;
    for (let atMs = openedAtMs; atMs < openedAtMs + 86_400_000; probes++) {
      atMs = lastAttemptProbeAtMs({ openedAtMs, probeAtMs: 0, probes, refusedProbes: 0, probedAtMs: atMs });
    }
    expect(probes).toBeLessThanOrEqual(12);
  });
});

describe("a gate", () => {
  it("lets pass what comes while it is active, its circuit closed, and no pause asked for", () => {
    expect(isPassable(aGate(), 10)).toBe(true);
    expect(isPassable(aGate({ status: "paused" }), 10)).toBe(false);
    expect(isPassable(aGate({ status: "disabled" }), 10)).toBe(false);
    expect(isPassable(aGate({ heldUntilMs: 11 }), 10)).toBe(false);
    expect(isPassable(aGate({ heldUntilMs: 10 }), 10)).toBe(true);
  });

  it("that is deleted lets nothing pass, and lets go what is parked", () => {
    const deleted = nextGeneration(opened(), { status: "disabled", statusReason: "deleted" }, 10);
    expect([isDeleted(deleted), isPassable(deleted, 10), releasesParked(deleted, 10)]).toEqual([true, false, true]);
  });

  it("keeps the pace of its last release through its generations, and slots and ticks as they are", () => {
    const gate = aGate({ release: aRelease(1, { endedAtMs: 5 }), nextFreeAtMs: 99 });
    const next = nextGeneration(gate, { status: "paused", statusReason: "operator" }, 10);
    expect(next).toMatchObject({ release: { endedAtMs: 5 }, nextFreeAtMs: 99, generation: 1, changedAtMs: 10 });
  });
});
