import { describe, expect, it } from "vitest";
import { newDelivery } from "../../functions/core/delivery.js";
import { isSlow, shortHoldWaitMs, slowForMs, slowNoteEndMs } from "../../functions/core/gate.js";
import type { Delivery } from "../../functions/core/model.js";
import { aGate, anEvent } from "../support/builders.js";

describe("a slow subscription", () => {
  it("is slow until its time is over, and never was one when nothing is noted", () => {
    expect(isSlow({ slowUntilMs: 10 }, 9)).toBe(true);
    expect(isSlow({ slowUntilMs: 10 }, 10)).toBe(false);
    expect(isSlow({}, 0)).toBe(false);
    expect(isSlow(null, 0)).toBe(false);
  });

  it("is noted again from half its time on", () => {
    const notedAtMs = 1_000;
    expect(slowNoteEndMs(notedAtMs + slowForMs)).toBe(notedAtMs + slowForMs / 2);
  });
});

describe("a hold that is over soon", () => {
  const nowMs = 10_000_000;
  const held = aGate({ heldUntilMs: nowMs + 4_000 });
  const first = newDelivery({ ...anEvent(), receivedAtMs: nowMs, deliveryId: "dlv_b", subscriptionId: "sub_a" }, nowMs);
  const wait = (delivery: Partial<Delivery>, gate = held) =>
    shortHoldWaitMs(gate, { ...first, ...delivery }, nowMs, () => 0.5);

  it("is waited for in the queue, and a moment more", () => {
    expect(wait({})).toBe(6_500);
    expect(wait({}, aGate({ heldUntilMs: nowMs + 10_001 }))).toBeNull();
    expect(wait({}, aGate({ status: "paused", heldUntilMs: nowMs + 4_000 }))).toBeNull();
    expect(wait({}, aGate())).toBeNull();
  });

  it("is not waited for again and again: who has been due for a minute is parked", () => {
    expect(wait({ receivedAtMs: nowMs - 60_000 })).toBe(6_500);
    expect(wait({ receivedAtMs: nowMs - 60_001 })).toBeNull();
    // A retry is due since its time, a replay of an old event since it was made.
    expect(wait({ receivedAtMs: nowMs - 3_600_000, nextAttemptAtMs: nowMs })).toBe(6_500);
    expect(wait({ nextAttemptAtMs: nowMs - 60_001 })).toBeNull();
    expect(wait({ receivedAtMs: nowMs - 3_600_000, replayOf: "dlv_a" })).toBe(6_500);
  });
});
