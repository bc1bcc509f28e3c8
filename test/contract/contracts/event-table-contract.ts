import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import type { EventErasure } from "../../../functions/app/admin/ports.js";
import type { EventTable, StoredEvent } from "../../../functions/app/ports.js";
import { freshEventId } from "../../../functions/core/ids.js";
import { anEvent } from "../../support/builders.js";
import type { VirtualClock } from "../../support/virtual-clock.js";

export interface EventTableSubject {
  readonly table: EventTable & EventErasure;
  /** What expires, expires by it. */
  readonly clock: VirtualClock;
}

const daySeconds = 86_400;

/** What the use cases rely on of the table of events. */
export function eventTableContract(makeSubject: () => EventTableSubject): void {
  describe("an event", () => {
    it("is read back as it was stored: in line to the byte, or by its key", async () => {
      const { table, clock } = makeSubject();
      const full = { suffix: "/a b", query: "x=%20&y", type: "t.u", verifiedBy: "sec_1", dedupeKey: "k€y" };
      const contents: StoredEvent["content"][] = [
        { at: "inline", packed: Buffer.alloc(0) },
        { at: "inline", packed: Buffer.from([0, 255, 128, 10]) },
        { at: "inline", packed: randomBytes(200_000) },
        { at: "bucket", key: "bodies/evt/abc" },
      ];
      for (const content of contents) {
        for (const meta of [{}, full]) {
          const stored = { ...anEventAt(clock.now(), content), subscriptionIds: ["sub_b", "sub_a"] };
          const event = { ...stored, event: { ...stored.event, ...meta } };
          expect(isSame(await table.storeEvent(event), event)).toBe(true);
          expect(isSame(await table.findEvent(event.event.eventId), event)).toBe(true);
        }
      }
    });

    it("that is erased keeps what it was, without what was sent; it does not come back", async () => {
      const { table, clock } = makeSubject();
      const stored = anEventAt(clock.now(), { at: "inline", packed: Buffer.from("secret") });
      const { eventId } = stored.event;
      await table.storeEvent({ ...stored, event: { ...stored.event, suffix: "/a", query: "b=c", type: "t" } });
      await table.eraseEvent(eventId, clock.now());
      await table.eraseEvent(eventId, clock.now());
      const erased = await table.findEvent(eventId);
      expect(erased).toMatchObject({
        event: { eventId, suffix: "", query: "", type: "t", bodySha256: "00".repeat(32) },
        subscriptionIds: stored.subscriptionIds,
        erasedAtMs: clock.now(),
      });
      expect(erased?.content.at).toBe("bucket");
      expect((await table.storeEvent(stored)).erasedAtMs).toBe(clock.now());
      await table.eraseEvent("evt_none", clock.now());
      expect(await table.findEvent("evt_none")).toBeNull();
    });

    it("is absent before it is stored", async () => {
      const { table, clock } = makeSubject();
      expect(await table.findEvent(freshEventId(clock.now(), randomBytes(16)))).toBeNull();
    });

    it("stays as it was first stored, and every later writer is told so", async () => {
      const { table, clock } = makeSubject();
      const first = anEventAt(clock.now());
      await table.storeEvent(first);
      const later = { ...first, subscriptionIds: ["sub_z"], content: { at: "bucket", key: "bodies/z" } as const };
      expect(await table.storeEvent(later)).toEqual(first);
      expect(await table.findEvent(first.event.eventId)).toEqual(first);
    });

    it("is one of the first writers' at the same moment, the same for all of them", async () => {
      const { table, clock } = makeSubject();
      const first = anEventAt(clock.now());
      const rivals = Array.from({ length: 8 }, (_value, index) => ({ ...first, subscriptionIds: [`sub_${index}`] }));
      const answers = await Promise.all(rivals.map((rival) => table.storeEvent(rival)));
      const stored = await table.findEvent(first.event.eventId);
      expect(rivals).toContainEqual(stored);
      for (const answer of answers) expect(answer).toEqual(stored);
    });

    it("is absent a week after the retention, and leaves nothing of itself to its successor", async () => {
      const { table, clock } = makeSubject();
      const first = anEventAt(clock.now());
      const old = { ...first, event: { ...first.event, type: "old", verifiedBy: "sec_1" } };
      await table.storeEvent(old);
      clock.advance(37 * daySeconds);
      expect(await table.findEvent(old.event.eventId)).toEqual(old);
      clock.advance(1);
      expect(await table.findEvent(old.event.eventId)).toBeNull();
      await table.addSubscription(old.event.eventId, "sub_late");
      const event = { ...old.event, type: null, verifiedBy: null, receivedAtMs: clock.now() };
      const successor = { event, content: { at: "bucket", key: "bodies/new" }, subscriptionIds: [] } as const;
      expect(await table.storeEvent(successor)).toEqual(successor);
      expect(await table.findEvent(event.eventId)).toEqual(successor);
    });
  });

  describe("a subscription that is added", () => {
    it("comes last, once", async () => {
      const { table, clock } = makeSubject();
      const stored = anEventAt(clock.now());
      await table.storeEvent(stored);
      for (const id of ["sub_b", "sub_a", "sub_b"]) await table.addSubscription(stored.event.eventId, id);
      expect(await table.findEvent(stored.event.eventId)).toEqual({
        ...stored,
        subscriptionIds: ["sub_first", "sub_b", "sub_a"],
      });
    });

    it("is kept beside every other one of the same moment", async () => {
      const { table, clock } = makeSubject();
      const stored = { ...anEventAt(clock.now()), subscriptionIds: [] };
      await table.storeEvent(stored);
      const ids = ["sub_a", "sub_b", "sub_c", "sub_d", "sub_e"];
      await Promise.all([...ids, ...ids].map((id) => table.addSubscription(stored.event.eventId, id)));
      const found = await table.findEvent(stored.event.eventId);
      expect(found?.subscriptionIds.toSorted()).toEqual(ids);
    });

    it("makes no event", async () => {
      const { table, clock } = makeSubject();
      const eventId = freshEventId(clock.now(), randomBytes(16));
      await table.addSubscription(eventId, "sub_a");
      expect(await table.findEvent(eventId)).toBeNull();
    });
  });
}

/** Deep equality, of bytes too, without the reporting that makes large buffers slow. */
const isSame = (read: StoredEvent | null, written: StoredEvent) => isDeepStrictEqual(read, written);

function anEventAt(
  receivedAtMs: number,
  content: StoredEvent["content"] = { at: "inline", packed: Buffer.from("packed") },
): StoredEvent {
  const eventId = freshEventId(receivedAtMs, randomBytes(16));
  return { event: anEvent(undefined, { eventId, receivedAtMs }), content, subscriptionIds: ["sub_first"] };
}
