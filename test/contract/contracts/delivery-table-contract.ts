import { describe, expect, it } from "vitest";
import type { DeliveryTable, ReplayNotes } from "../../../functions/app/ports.js";
import type { Delivery } from "../../../functions/core/model.js";
import type { VirtualClock } from "../../support/virtual-clock.js";
import { aDelivery, claimed, dead, parked, recorded } from "./some-deliveries.js";

export interface DeliveryTableSubject {
  readonly table: DeliveryTable & ReplayNotes;
  /** What expires, expires by it. */
  readonly clock: VirtualClock;
}

const daySeconds = 86_400;

/** What the use cases rely on of the table of deliveries. */
export function deliveryTableContract(makeSubject: () => DeliveryTableSubject): void {
  describe("a delivery", () => {
    it("is read back as it was written, in every state", async () => {
      const { table, clock } = makeSubject();
      const nowMs = clock.now();
      const first = claimed(aDelivery(nowMs), nowMs);
      const failed = recorded(first, 429, nowMs + 1);
      const held = parked(failed, nowMs + 2);
      const second = claimed(held, nowMs + 3);
      const steps = [first, failed, held, second, recorded(second, 200, nowMs + 4)];
      await writeAll(table, steps);
      for (const step of steps) expect(step.deliveryId).toBe(first.deliveryId);
    });

    it("is read back when it ended without an attempt, and when it was replayed", async () => {
      const { table, clock } = makeSubject();
      const ended = dead(parked(aDelivery(clock.now()), clock.now()), clock.now());
      await writeAll(table, [{ ...ended, replayOf: "dlv_an_earlier_one" }]);
    });

    it("keeps a hundred attempts", async () => {
      const { table, clock } = makeSubject();
      let delivery = aDelivery(clock.now());
      for (let number = 1; number <= 101; number++) {
        delivery = recorded(claimed(delivery, clock.now()), 503, clock.now(), 200);
      }
      expect(delivery).toMatchObject({ attemptsDropped: 1, attemptsStarted: 101 });
      await writeAll(table, [delivery]);
    });

    it("is absent before its first write", async () => {
      const { table, clock } = makeSubject();
      expect(await table.findDelivery(aDelivery(clock.now()).deliveryId)).toBeNull();
    });
  });

  describe("a write", () => {
    it("is refused, and changes nothing, when the stored delivery is not what was read", async () => {
      const { table, clock } = makeSubject();
      const nowMs = clock.now();
      const first = claimed(aDelivery(nowMs), nowMs);
      const next = recorded(first, 503, nowMs);
      const second = claimed(next, nowMs);
      const done = recorded(second, 200, nowMs);
      const anothers = claimed(next, nowMs);
      const stale: [Delivery | null, Delivery][] = [
        [null, first],
        [first, done],
        [next, second],
        [anothers, done],
        [{ ...second, claim: null }, done],
        [{ ...second, attemptsStarted: 3 }, done],
      ];
      await writeAll(table, [first, next, second]);
      for (const [previous, wanted] of stale) expect(await table.replaceDelivery(previous, wanted)).toBe(false);
      expect(await table.findDelivery(first.deliveryId)).toEqual(second);
    });

    it("is refused when there is nothing to replace", async () => {
      const { table, clock } = makeSubject();
      const first = claimed(aDelivery(clock.now()), clock.now());
      expect(await table.replaceDelivery(first, recorded(first, 200, clock.now()))).toBe(false);
      expect(await table.findDelivery(first.deliveryId)).toBeNull();
    });

    it("wins alone among first claims at the same moment", async () => {
      const { table, clock } = makeSubject();
      const delivery = aDelivery(clock.now());
      const claims = Array.from({ length: 12 }, () => claimed(delivery, clock.now()));
      const won = await Promise.all(claims.map((claim) => table.replaceDelivery(null, claim)));
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await table.findDelivery(delivery.deliveryId)).toEqual(claims[won.indexOf(true)]);
    });

    it("wins alone among a record, a take-over and claims at the same moment", async () => {
      const { table, clock } = makeSubject();
      const nowMs = clock.now();
      const first = claimed(aDelivery(nowMs), nowMs);
      await writeAll(table, [first]);
      const rivals = [200, 422, 503, 500].map((status) => recorded(first, status, nowMs));
      const rivalsWon = await Promise.all(rivals.map((rival) => table.replaceDelivery(first, rival)));
      expect(rivalsWon.filter(Boolean)).toHaveLength(1);
      expect(await table.findDelivery(first.deliveryId)).toEqual(rivals[rivalsWon.indexOf(true)]);
    });

    it("whose answer was lost is refused when it is repeated, and read back with its own token", async () => {
      const { table, clock } = makeSubject();
      const first = claimed(aDelivery(clock.now()), clock.now(), "mine");
      await table.replaceDelivery(null, first);
      expect(await table.replaceDelivery(null, first)).toBe(false);
      expect((await table.findDelivery(first.deliveryId))?.claim?.token).toBe("mine");
    });

    it("may be a change of nothing but the time", async () => {
      const { table, clock } = makeSubject();
      const held = parked(aDelivery(clock.now()), clock.now());
      await table.replaceDelivery(null, held);
      const later = { ...held, updatedAtMs: clock.now() + 1 };
      expect(await table.replaceDelivery(held, later)).toBe(true);
      expect(await table.findDelivery(held.deliveryId)).toEqual(later);
    });
  });

  describe("expiry", () => {
    it("makes a delivered or dead delivery absent after the retention, and a new one possible", async () => {
      for (const status of [200, 422]) {
        const { table, clock } = makeSubject();
        const first = claimed(aDelivery(clock.now()), clock.now());
        await writeAll(table, [first, recorded(first, status, clock.now())]);
        clock.advance(30 * daySeconds);
        expect(await table.findDelivery(first.deliveryId)).not.toBeNull();
        clock.advance(1);
        expect(await table.findDelivery(first.deliveryId)).toBeNull();
        expect(await table.findDeliveries([first.deliveryId])).toEqual([]);
        const again = claimed({ ...aDelivery(clock.now()), deliveryId: first.deliveryId }, clock.now());
        expect(await table.replaceDelivery(null, again)).toBe(true);
        expect(await table.findDelivery(first.deliveryId)).toEqual(again);
      }
    });

    it("leaves what ended late for seven days more", async () => {
      const { table, clock } = makeSubject();
      const held = parked(aDelivery(clock.now()), clock.now());
      clock.advance(29 * daySeconds);
      await writeAll(table, [held, dead(held, clock.now())]);
      clock.advance(7 * daySeconds);
      expect(await table.findDelivery(held.deliveryId)).not.toBeNull();
      clock.advance(1);
      expect(await table.findDelivery(held.deliveryId)).toBeNull();
    });

    it("never takes what is still open", async () => {
      const { table, clock } = makeSubject();
      const nowMs = clock.now();
      const attempting = claimed(aDelivery(nowMs), nowMs);
      const open = [
        attempting,
        recorded(claimed(aDelivery(nowMs), nowMs), 503, nowMs),
        parked(aDelivery(nowMs), nowMs),
      ];
      for (const each of open) await table.replaceDelivery(null, each);
      clock.advance(1_000 * daySeconds);
      for (const each of open) expect(await table.findDelivery(each.deliveryId)).toEqual(each);
      expect(await table.replaceDelivery(null, attempting)).toBe(false);
    });

    it("is taken back by a write that opens the delivery again", async () => {
      const { table, clock } = makeSubject();
      const first = claimed(aDelivery(clock.now()), clock.now());
      const done = recorded(first, 200, clock.now());
      const reopened = { ...done, status: "parked" as const, parkedUntilMs: clock.now() };
      await writeAll(table, [first, done, reopened]);
      clock.advance(100 * daySeconds);
      expect(await table.findDelivery(first.deliveryId)).toEqual(reopened);
    });
  });

  describe("a note of a replay", () => {
    it("is added to those before it, once, and changes nothing else", async () => {
      const { table, clock } = makeSubject();
      const original = dead(aDelivery(clock.now()), clock.now());
      await table.replaceDelivery(null, original);
      expect(await table.noteReplay(original, "dlv_1")).toBe(true);
      const once = { ...original, replayedAs: ["dlv_1"] };
      expect(await table.findDelivery(original.deliveryId)).toEqual(once);
      expect(await table.noteReplay(once, "dlv_1")).toBe(true);
      expect(await table.noteReplay(once, "dlv_2")).toBe(true);
      expect((await table.findDelivery(original.deliveryId))?.replayedAs).toEqual(["dlv_1", "dlv_2"]);
    });

    it("is refused when another was added since the original was read, or the original is gone", async () => {
      const { table, clock } = makeSubject();
      const original = dead(aDelivery(clock.now()), clock.now());
      expect(await table.noteReplay(original, "dlv_1")).toBe(false);
      await table.replaceDelivery(null, original);
      await table.noteReplay(original, "dlv_1");
      expect(await table.noteReplay(original, "dlv_2")).toBe(false);
      expect(await table.noteReplay({ ...original, status: "parked" }, "dlv_2")).toBe(false);
      expect((await table.findDelivery(original.deliveryId))?.replayedAs).toEqual(["dlv_1"]);
    });

    it("survives a write by somebody who read the delivery before", async () => {
      const { table, clock } = makeSubject();
      const original = dead(aDelivery(clock.now()), clock.now());
      await table.replaceDelivery(null, original);
      await table.noteReplay(original, "dlv_1");
      const erased = { ...original, erasedAtMs: clock.now(), bodySha256: "00".repeat(32) };
      expect(await table.replaceDelivery(original, erased)).toBe(true);
      expect(await table.findDelivery(original.deliveryId)).toEqual({ ...erased, replayedAs: ["dlv_1"] });
    });

    it("goes with the delivery: what is written over an expired one has none", async () => {
      const { table, clock } = makeSubject();
      const original = dead(aDelivery(clock.now()), clock.now());
      await table.replaceDelivery(null, original);
      await table.noteReplay(original, "dlv_1");
      clock.advance(31 * daySeconds);
      const anew = claimed({ ...aDelivery(clock.now()), deliveryId: original.deliveryId }, clock.now());
      expect(await table.replaceDelivery(null, anew)).toBe(true);
      expect(await table.findDelivery(original.deliveryId)).toEqual(anew);
    });
  });

  describe("a read of many", () => {
    it("finds each of more than a batch, and leaves out what is absent", async () => {
      const { table, clock } = makeSubject();
      const stored = Array.from({ length: 105 }, () => claimed(aDelivery(clock.now()), clock.now()));
      await Promise.all(stored.map((each) => table.replaceDelivery(null, each)));
      const ids = stored.flatMap(({ deliveryId }) => [deliveryId, aDelivery(clock.now()).deliveryId]);
      const found = await table.findDeliveries(ids);
      expect(byId(found)).toEqual(byId(stored));
    });

    it("of nothing finds nothing", async () => {
      expect(await makeSubject().table.findDeliveries([])).toEqual([]);
    });
  });
}

/** Each replaces the one before; the first, nothing. */
async function writeAll(table: DeliveryTable, steps: readonly Delivery[]): Promise<void> {
  for (const [index, step] of steps.entries()) {
    expect(await table.replaceDelivery(steps[index - 1] ?? null, step)).toBe(true);
    expect(await table.findDelivery(step.deliveryId)).toEqual(step);
  }
}

const byId = (deliveries: readonly Delivery[]) => deliveries.toSorted((a, b) => (a.deliveryId < b.deliveryId ? -1 : 1));
