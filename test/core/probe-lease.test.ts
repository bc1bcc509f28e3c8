import { describe, expect, it } from "vitest";
import { startProbe } from "../../functions/core/circuit.js";
import type { OpenCircuit } from "../../functions/core/model.js";
import { aGate } from "../support/builders.js";

const circuit: OpenCircuit = { openedAtMs: 0, probeAtMs: 0, probes: 0, refusedProbes: 0 };

/** Milliseconds for which probes with these deliveries are waited for, each begun when the one before is over. */
function leases(...deliveryIds: string[]): number[] {
  let gate = aGate({ circuit });
  let nowMs = 1_000;
  return deliveryIds.map((deliveryId) => {
    const probing = startProbe(gate, deliveryId, nowMs);
    if (probing?.circuit?.probe === undefined) throw new Error("there is no probe");
    const leaseMs = probing.circuit.probe.untilMs - nowMs;
    gate = probing;
    nowMs += leaseMs;
    return leaseMs;
  });
}

describe("a probe", () => {
  it("is waited for twice as long each time that it was waited for in vain: its message is in a backlog", () => {
    expect(leases("dlv_1", "dlv_1", "dlv_1")).toEqual([180_000, 360_000, 720_000]);
  });

  it("is waited for as long as ever when it is another delivery's", () => {
    expect(leases("dlv_1", "dlv_1", "dlv_2")).toEqual([180_000, 360_000, 180_000]);
  });
});
