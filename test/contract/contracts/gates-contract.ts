import { beforeEach, describe, expect, it } from "vitest";
import type { SourceStore, SubscriptionStore } from "../../../functions/app/admin/ports.js";
import type { Gates } from "../../../functions/app/ports.js";
import { openCircuit } from "../../../functions/core/circuit.js";
import { nextGeneration, slowForMs } from "../../../functions/core/gate.js";
import type { Gate } from "../../../functions/core/model.js";
import { newTally, type OutcomeTally, tallied } from "../../../functions/core/outcome-tally.js";
import { presetCircuit } from "../../../functions/core/presets.js";
import { withTick } from "../../../functions/core/ticks.js";
import { aRelease } from "../../support/builders.js";
import { aSourceRecord, aSubscriptionRecord } from "../../support/config-records.js";
import type { VirtualClock } from "../../support/virtual-clock.js";
import { aSubscriptionId } from "./some-deliveries.js";

export interface GatesSubject {
  readonly sources: SourceStore;
  readonly subscriptions: SubscriptionStore;
  readonly gates: Gates;
  /** The gates of the same table as another environment has them: with a memory of its own. */
  readonly elsewhere: Gates;
  readonly clock: VirtualClock;
}

const settings = presetCircuit("default");

/** What changes a gate, and what a change leaves alone. */
export function gatesContract(makeSubject: () => GatesSubject): void {
  let subject: GatesSubject;
  let subscriptionId: string;
  beforeEach(async () => {
    subject = makeSubject();
    const { sources, subscriptions, clock } = subject;
    subscriptionId = aSubscriptionId(1_000);
    const sourceId = `src-${subscriptionId.slice(-12)}`;
    await sources.createSource(aSourceRecord({ sourceId }), {});
    const record = aSubscriptionRecord({ sourceId, subscriptionId, createdAtMs: clock.now() });
    expect(await subscriptions.createSubscription(record, {})).toBe("created");
  });

  async function gateNow(): Promise<Gate> {
    const gate = await subject.gates.find(subscriptionId, { fresh: true });
    if (gate === null) throw new Error("there is no gate");
    return gate;
  }
  /** Replaces the gate as it is now. */
  async function move(change: (gate: Gate) => Gate): Promise<Gate> {
    const gate = await gateNow();
    const next = change(gate);
    expect(await subject.gates.replaceGate(gate, next)).toBe(true);
    return next;
  }
  const paused = (gate: Gate) =>
    nextGeneration(gate, { status: "paused", statusReason: "operator" }, subject.clock.now());
  const opened = (gate: Gate) => openCircuit(gate, settings, subject.clock.now(), () => 0.5);

  describe("a replacement", () => {
    it("is made by one of those who read the same generation", async () => {
      const gate = await gateNow();
      const rivals = (["paused", "disabled"] as const).map((status) => ({ ...gate, status, generation: 2 }));
      const moved = await Promise.all([
        subject.subscriptions.moveGate(gate, rivals[0] as Gate),
        subject.gates.replaceGate(gate, rivals[1] as Gate),
      ]);
      expect(moved.filter(Boolean)).toHaveLength(1);
      expect(await gateNow()).toEqual(rivals[moved.indexOf(true)]);
      await move((current) => ({ ...current, status: "active", generation: 3 }));
      // Active again, as it was first read, but not the same any more.
      expect(await subject.subscriptions.moveGate(gate, { ...gate, generation: 2 })).toBe(false);
      expect((await gateNow()).generation).toBe(3);
    });

    it("is made by one of those who read the same tick", async () => {
      const first = await move((gate) => withTick(gate, 5_000));
      const rivals = ["a", "b", "c"].map((by) => withTick(first, 6_000, by));
      const moved = await Promise.all(rivals.map((rival) => subject.gates.replaceGate(first, rival)));
      expect(moved.filter(Boolean)).toHaveLength(1);
      expect((await gateNow()).tick).toEqual(rivals[moved.indexOf(true)]?.tick);
      expect(await subject.gates.replaceGate({ ...first, tick: undefined } as unknown as Gate, first)).toBe(false);
    });

    it("writes circuit, tick, hold and release, and takes them away again", async () => {
      const open = await move((gate) => withTick(opened(gate), 16_000));
      expect(await gateNow()).toEqual(open);
      const release = aRelease(subject.clock.now(), { after: "2026#dlv", sent: 2, released: 2 });
      const { circuit: _closed, ...closed } = open;
      const released = { ...closed, heldUntilMs: 99_000, release, generation: 3 };
      await move(() => released);
      expect(await gateNow()).toEqual(released);
      const { heldUntilMs: _over, ...free } = released;
      await move(() => free);
      expect(await gateNow()).toEqual(free);
    });

    it("leaves what has ways of its own: slots, the slow note, counts of the same generation", async () => {
      const gate = await gateNow();
      const { gates, clock } = subject;
      await gates.reserveSlot(subscriptionId, 100, clock.now());
      await gates.noteSlow(subscriptionId, clock.now());
      await gates.addOutcomes(subscriptionId, failures(1, 3), clock.now());
      expect(await gates.replaceGate(gate, withTick(gate, 5_000))).toBe(true);
      const { nextFreeAtMs, slowUntilMs, counts } = await gateNow();
      expect({ nextFreeAtMs, slowUntilMs }).toEqual({
        nextFreeAtMs: clock.now() + 100,
        slowUntilMs: clock.now() + slowForMs,
      });
      expect(counts).toMatchObject({ inARow: 3, failures: 3 });
    });

    it("of a new generation begins without counts, also without those that were added since it was read", async () => {
      const gate = await gateNow();
      await subject.gates.addOutcomes(subscriptionId, failures(1, 3), subject.clock.now());
      expect(await subject.gates.replaceGate(gate, opened(gate))).toBe(true);
      expect((await gateNow()).counts).toBeUndefined();
    });
  });

  const failures = (generation: number, count: number, from?: OutcomeTally): OutcomeTally => {
    const { clock } = subject;
    let tally = from ?? newTally(generation, undefined, clock.now());
    for (let made = 0; made < count; made++) tally = tallied(tally, "failure", clock.now());
    return tally;
  };

  describe("counted outcomes", () => {
    it("are added, whoever adds them at the same moment", async () => {
      const { gates, elsewhere, clock } = subject;
      const tallies = [2, 3, 4].map((count) => failures(1, count));
      await Promise.all(
        tallies.map((tally, index) => (index % 2 ? elsewhere : gates).addOutcomes(subscriptionId, tally, clock.now())),
      );
      expect((await gateNow()).counts).toMatchObject({ inARow: 9, failures: 9, minuteAttempts: 9, minuteFailures: 9 });
    });

    it("are answered with the gate as it counts now", async () => {
      const { gates, clock } = subject;
      expect(await gates.addOutcomes(subscriptionId, failures(1, 2), clock.now())).toMatchObject({
        generation: 1,
        counts: { inARow: 2, failures: 2 },
      });
    });

    it("start a row anew after a success, and go on with all failures", async () => {
      const { gates, clock } = subject;
      await gates.addOutcomes(subscriptionId, failures(1, 4), clock.now());
      const afterSuccess = failures(1, 2, tallied(failures(1, 1), "success", clock.now()));
      await gates.addOutcomes(subscriptionId, afterSuccess, clock.now());
      expect((await gateNow()).counts).toMatchObject({
        inARow: 2,
        failures: 7,
        minuteAttempts: 8,
        minuteFailures: 7,
      });
    });

    it("belong to their minute: the next one begins at nothing, the row does not", async () => {
      const { gates, clock } = subject;
      await gates.addOutcomes(subscriptionId, failures(1, 4), clock.now());
      clock.advance(60);
      await gates.addOutcomes(subscriptionId, failures(1, 1), clock.now());
      await gates.addOutcomes(subscriptionId, failures(1, 1), clock.now());
      expect((await gateNow()).counts).toMatchObject({
        inARow: 6,
        failures: 6,
        minute: Math.floor(clock.now() / 60_000),
        minuteAttempts: 2,
        minuteFailures: 2,
      });
    });

    it("of another generation come to nothing", async () => {
      await move(opened);
      const { gates, clock } = subject;
      const before = await gateNow();
      expect(await gates.addOutcomes(subscriptionId, failures(1, 5), clock.now())).toBeNull();
      expect(await gates.addOutcomes(aSubscriptionId(1_000), failures(1, 5), clock.now())).toBeNull();
      expect(await gateNow()).toEqual(before);
    });
  });

  describe("a reserved slot", () => {
    it("is one interval after the one before, whoever asks at the same moment, and each is given once", async () => {
      const { gates, elsewhere, clock } = subject;
      const asked = Array.from({ length: 40 }, (_value, index) =>
        (index % 2 ? elsewhere : gates).reserveSlot(subscriptionId, 50, clock.now()),
      );
      const slots = (await Promise.all(asked)).map(Number).toSorted((a, b) => a - b);
      expect(slots).toEqual(slots.map((_slot, index) => clock.now() + index * 50));
      expect((await gateNow()).nextFreeAtMs).toBe(clock.now() + 40 * 50);
    });

    it("is never before now: unused time is not saved up", async () => {
      const { gates, clock } = subject;
      expect(await gates.reserveSlot(subscriptionId, 1_000, clock.now())).toBe(clock.now());
      clock.advance(3_600);
      expect(await gates.reserveSlot(subscriptionId, 1_000, clock.now())).toBe(clock.now());
      expect(await gates.reserveSlot(subscriptionId, 1_000, clock.now())).toBe(clock.now() + 1_000);
    });

    it("is none beyond what anybody waits for: the time after that is not taken", async () => {
      const { gates, elsewhere, clock } = subject;
      const intervalMs = 100_000;
      const asked = Array.from({ length: 40 }, (_value, index) =>
        (index % 2 ? elsewhere : gates).reserveSlot(subscriptionId, intervalMs, clock.now()),
      );
      const slots = await Promise.all(asked);
      const given = slots.filter((slot) => slot !== null).toSorted((a, b) => a - b);
      expect(given).toEqual(Array.from({ length: 10 }, (_value, index) => clock.now() + index * intervalMs));
      expect((await gateNow()).nextFreeAtMs).toBe(clock.now() + 10 * intervalMs);
      clock.advance(100);
      expect(await gates.reserveSlot(subscriptionId, intervalMs, clock.now())).toBe(clock.now() + 900_000);
      expect(await gates.reserveSlot(subscriptionId, intervalMs, clock.now())).toBeNull();
    });

    it("is by the clock of who asks, also while others are being served", async () => {
      const { gates, clock } = subject;
      const first = gates.reserveSlot(subscriptionId, 50, clock.now());
      clock.advance(3_600);
      const second = gates.reserveSlot(subscriptionId, 50, clock.now());
      expect([await first, await second]).toEqual([clock.now() - 3_600_000, clock.now()]);
    });

    it("is a whole millisecond, however many fit into a second", async () => {
      const { gates, clock } = subject;
      const slots: (number | null)[] = [];
      for (let index = 0; index < 7; index++) {
        slots.push(await gates.reserveSlot(subscriptionId, 1000 / 3, clock.now()));
      }
      expect(slots.every(Number.isInteger)).toBe(true);
      expect((slots.at(-1) as number) - clock.now()).toBe(2_000);
    });

    it("is refused where there is no gate", async () => {
      await expect(subject.gates.reserveSlot(aSubscriptionId(1_000), 50, subject.clock.now())).rejects.toThrow();
    });
  });

  describe("a gate", () => {
    it("is disabled once, with the first reason, and only when it is active", async () => {
      const { gates, clock } = subject;
      await gates.disable(subscriptionId, "gone", 1, clock.now());
      await gates.disable(subscriptionId, "again", 1, clock.now());
      expect(await gateNow()).toMatchObject({ status: "disabled", statusReason: "gone", generation: 2 });
      const other = await move(paused);
      await gates.disable(subscriptionId, "gone", 1, clock.now());
      expect(await gateNow()).toEqual(other);
    });

    it("is not disabled for an older version of the subscription than it was last moved with", async () => {
      const { gates, clock } = subject;
      await move((gate) => withTick({ ...gate, subscriptionVersion: 3 }, clock.now()));
      const moved = await gateNow();
      expect(moved.subscriptionVersion).toBe(3);
      await gates.disable(subscriptionId, "gone", 2, clock.now());
      expect(await gateNow()).toEqual(moved);
      await gates.disable(subscriptionId, "gone", 3, clock.now());
      expect(await gateNow()).toMatchObject({ status: "disabled", generation: 2, subscriptionVersion: 3 });
    });

    it("that is disabled has neither circuit, hold nor counts any more", async () => {
      const { gates, clock } = subject;
      await move((gate) => ({ ...opened(gate), heldUntilMs: 99_000 }));
      await gates.addOutcomes(subscriptionId, failures(2, 3), clock.now());
      await gates.disable(subscriptionId, "gone", 1, clock.now());
      const gate = await gateNow();
      expect([gate.circuit, gate.heldUntilMs, gate.counts]).toEqual([undefined, undefined, undefined]);
    });

    it("remembers that deliveries may be parked at it, through every move, until a release has found none", async () => {
      const { gates, clock } = subject;
      for (const _time of [1, 2]) await gates.noteParked(subscriptionId, clock.now());
      expect((await gateNow()).holdsParked).toBe(true);
      await move(paused);
      await move((gate) => nextGeneration(gate, { status: "active", statusReason: null }, clock.now()));
      expect((await gateNow()).holdsParked).toBe(true);
      await move((gate) => withTick({ ...gate, holdsParked: false }, null));
      expect((await gateNow()).holdsParked).toBe(false);
    });

    it("remembers what is parked also while it is watched for its circuit", async () => {
      await move((gate) => withTick(opened(gate), 16_000));
      expect((await gateNow()).holdsParked).toBe(false);
      await subject.gates.noteParked(subscriptionId, subject.clock.now());
      expect((await gateNow()).holdsParked).toBe(true);
    });

    it("remembers that attempts hang, through every move, until the time is over", async () => {
      const { gates, clock } = subject;
      expect(await gates.knownSlow(subscriptionId)).toBe(false);
      await gates.noteSlow(subscriptionId, clock.now());
      const slowUntilMs = clock.now() + slowForMs;
      expect(await gates.knownSlow(subscriptionId)).toBe(true);
      expect(await gateNow()).toMatchObject({ slowUntilMs, generation: 1, status: "active" });
      await move(paused);
      expect(await gateNow()).toMatchObject({ slowUntilMs, status: "paused" });
      clock.advance(slowForMs / 1_000);
      expect(await gates.knownSlow(subscriptionId)).toBe(false);
    });

    it("is slow for longer when attempts still hang in the second half of its time, and not before", async () => {
      const { gates, clock } = subject;
      const noted = clock.now();
      await gates.noteSlow(subscriptionId, noted);
      clock.advance(slowForMs / 2_000 - 0.001);
      await gates.noteSlow(subscriptionId, clock.now());
      expect((await gateNow()).slowUntilMs).toBe(noted + slowForMs);
      clock.advance(0.001);
      await gates.noteSlow(subscriptionId, clock.now());
      expect((await gateNow()).slowUntilMs).toBe(clock.now() + slowForMs);
    });

    it("of a subscription that never existed is none, and nothing makes one", async () => {
      const { gates, clock } = subject;
      const unknown = aSubscriptionId(1_000);
      await gates.noteSlow(unknown, clock.now());
      await gates.disable(unknown, "gone", 1, clock.now());
      await gates.noteParked(unknown, clock.now());
      expect(await gates.find(unknown)).toBeNull();
    });
  });
}
