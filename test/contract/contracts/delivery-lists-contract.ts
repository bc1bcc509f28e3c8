import { describe, expect, it, vi } from "vitest";
import type { DeliveryIndex, DeliveryList, ListedDelivery, UnusualState } from "../../../functions/app/admin/ports.js";
import type { DeliveryTable, ParkedList } from "../../../functions/app/ports.js";
import type { Delivery } from "../../../functions/core/model.js";
import type { VirtualClock } from "../../support/virtual-clock.js";
import { aDelivery, aSubscriptionId, claimed, dead, parked, recorded } from "./some-deliveries.js";

export interface DeliveryListsSubject {
  readonly table: DeliveryTable;
  readonly parkedList: ParkedList;
  readonly index: DeliveryIndex;
  readonly clock: VirtualClock;
  /** Lists are eventually consistent: how long a test waits for them. */
  readonly patienceMs: number;
}

const states: readonly UnusualState[] = ["retry_scheduled", "parked", "dead_lettered"];

/** What the lists hold of the deliveries after each write, in the end. */
export function deliveryListsContract(makeSubject: () => DeliveryListsSubject): void {
  describe("the lists", () => {
    it("hold a delivery where each of its steps puts it, and nowhere else", async () => {
      const subject = makeSubject();
      const nowMs = subject.clock.now();
      const first = claimed(aDelivery(nowMs), nowMs);
      const failed = recorded(first, 503, nowMs);
      const held = parked(failed, nowMs);
      const second = claimed(held, nowMs);
      const refused = recorded(second, 503, nowMs);
      const third = claimed(refused, nowMs);
      const steps: [Delivery, UnusualState | null][] = [
        [first, null],
        [failed, "retry_scheduled"],
        [held, "parked"],
        // Its own message may be lost by now: the sweeper finds a retry's attempt among the open ones.
        [second, "retry_scheduled"],
        [refused, "retry_scheduled"],
        [third, "retry_scheduled"],
        [recorded(third, 503, nowMs), "dead_lettered"],
      ];
      let previous: Delivery | null = null;
      for (const [step, state] of steps) {
        expect(await subject.table.replaceDelivery(previous, step)).toBe(true);
        await expectListed(subject, step, state);
        previous = step;
      }
    });

    it("hold a delivered delivery under its subscription only", async () => {
      const subject = makeSubject();
      const nowMs = subject.clock.now();
      const steps = [claimed(aDelivery(nowMs), nowMs)];
      for (const status of [503, 200]) {
        const last = steps.at(-1) as Delivery;
        const attempting = last.status === "attempting" ? last : claimed(last, nowMs);
        if (attempting !== last) steps.push(attempting);
        steps.push(recorded(attempting, status, nowMs));
      }
      for (const [index, step] of steps.entries()) await subject.table.replaceDelivery(steps[index - 1] ?? null, step);
      await expectListed(subject, steps.at(-1) as Delivery, null);
    });

    it("hold what was parked, and what ended, before any attempt", async () => {
      const subject = makeSubject();
      const held = parked(aDelivery(subject.clock.now()), subject.clock.now());
      await subject.table.replaceDelivery(null, held);
      await expectListed(subject, held, "parked");
      const ended = dead(held, subject.clock.now());
      await subject.table.replaceDelivery(held, ended);
      await expectListed(subject, ended, "dead_lettered");
    });
  });

  describe("parked deliveries", () => {
    it("come in the order in which their events were received, whenever they were parked, page by page", async () => {
      const subject = makeSubject();
      const startMs = subject.clock.now();
      const subscriptionId = aSubscriptionId(startMs);
      const received = Array.from({ length: 25 }, (_value, index) => aDelivery(startMs + index * 7, subscriptionId));
      const writes = [...received.entries()].map(([index, each]) =>
        subject.table.replaceDelivery(null, parked(each, startMs + 10_000 - index)),
      );
      await subject.table.replaceDelivery(null, parked(aDelivery(startMs), startMs));
      await Promise.all(writes);
      const inOrder = received.map(({ deliveryId }) => deliveryId);
      await eventually(subject, async () => {
        const pages: string[] = [];
        let after: string | null = null;
        do {
          const page: readonly ListedDelivery[] = await subject.parkedList.parkedAfter(subscriptionId, after, 4);
          expect(page.length).toBeLessThanOrEqual(4);
          pages.push(...page.map(({ deliveryId }) => deliveryId));
          after = page.at(-1)?.position ?? null;
        } while (after !== null);
        expect(pages).toEqual(inOrder);
        const since = await subject.parkedList.parkedSince(subscriptionId, startMs + 20 * 7, 3);
        expect(idsOf(since)).toEqual(inOrder.slice(20, 23));
      });
    });
  });

  describe("a subscription's deliveries", () => {
    it("come newest first, of several subscriptions in one order, and go on after any of them", async () => {
      const subject = makeSubject();
      const startMs = subject.clock.now();
      const subscriptionIds = [aSubscriptionId(startMs), aSubscriptionId(startMs)];
      const made = Array.from({ length: 20 }, (_value, index) =>
        claimed(aDelivery(startMs + index * 13, subscriptionIds[index % 2] as string), startMs),
      );
      await Promise.all(made.map((each) => subject.table.replaceDelivery(null, each)));
      const newestFirst = made.map(({ deliveryId }) => deliveryId).toReversed();
      const list = { kind: "all", subscriptionIds } as const;
      await eventually(subject, async () => expect(idsOf(await read(subject, list))).toEqual(newestFirst));
      const seventh = (await read(subject, list))[6]?.position ?? null;
      expect(idsOf(await read(subject, list, seventh))).toEqual(newestFirst.slice(7));
      const oldestFirst = await read(subject, list, null, true);
      expect(idsOf(oldestFirst)).toEqual(newestFirst.toReversed());
      const after = oldestFirst[6]?.position ?? null;
      expect(idsOf(await read(subject, list, after, true))).toEqual(newestFirst.toReversed().slice(7));
    });
  });

  describe("what is due", () => {
    it("comes soonest first", async () => {
      const subject = makeSubject();
      const startMs = subject.clock.now();
      const retries = [50, 10, 30, 20, 40].map((seconds) => {
        const attempting = claimed(aDelivery(startMs), startMs);
        return recorded(attempting, 503, startMs + seconds * 1000);
      });
      for (const retry of retries) await subject.table.replaceDelivery(null, retry);
      const soonestFirst = retries.toSorted((a, b) => (a.nextAttemptAtMs ?? 0) - (b.nextAttemptAtMs ?? 0));
      const own = new Set(idsOf(retries));
      await eventually(subject, async () => {
        const due = await read(subject, { kind: "due", state: "retry_scheduled" });
        expect(idsOf(due).filter((id) => own.has(id))).toEqual(idsOf(soonestFirst));
      });
    });
  });
}

/** In its subscription's list, in those of `state`, and in those of no other state. */
async function expectListed(
  subject: DeliveryListsSubject,
  { deliveryId, subscriptionId }: Delivery,
  state: UnusualState | null,
): Promise<void> {
  const subscriptionIds = [subscriptionId];
  const holds = async (list: DeliveryList) => idsOf(await read(subject, list)).includes(deliveryId);
  await eventually(subject, async () => {
    expect(await holds({ kind: "all", subscriptionIds })).toBe(true);
    for (const each of states) {
      expect(await holds({ kind: "state", state: each, subscriptionIds }), `${each}, by subscription`).toBe(
        each === state,
      );
      expect(await holds({ kind: "due", state: each }), `${each}, of all`).toBe(each === state);
    }
    const held = await subject.parkedList.parkedAfter(subscriptionId, null, 10);
    expect(idsOf(held)).toEqual(state === "parked" ? [deliveryId] : []);
  });
}

async function read(
  subject: DeliveryListsSubject,
  list: DeliveryList,
  after: string | null = null,
  isOldestFirst = false,
) {
  const order = isOldestFirst ? ({ oldestFirst: true } as const) : {};
  const range = { after, sinceMs: null, untilMs: null, expected: 10, ...order };
  const entries: ListedDelivery[] = [];
  for await (const entry of subject.index.entries(list, range)) entries.push(entry);
  return entries;
}

const idsOf = (entries: ReadonlyArray<{ readonly deliveryId: string }>) => entries.map(({ deliveryId }) => deliveryId);

const eventually = (subject: DeliveryListsSubject, check: () => Promise<void>) =>
  vi.waitFor(check, { timeout: subject.patienceMs, interval: 20 });
