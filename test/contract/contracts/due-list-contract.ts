import { describe, expect, it, vi } from "vitest";
import type { SubscriptionStore } from "../../../functions/app/admin/ports.js";
import type { DeliveryTable, DueEntry, DueList, Gates } from "../../../functions/app/ports.js";
import type { Delivery } from "../../../functions/core/model.js";
import { aSubscriptionRecord } from "../../support/config-records.js";
import type { VirtualClock } from "../../support/virtual-clock.js";
import { aDelivery, aSubscriptionId, claimed, parked, recorded } from "./some-deliveries.js";

export interface DueListSubject {
  readonly table: DeliveryTable;
  readonly gates: Gates;
  readonly dueList: DueList;
  /** Makes gates: those of subscriptions of the source `contract`, which exists. */
  readonly subscriptions: SubscriptionStore;
  readonly clock: VirtualClock;
  /** The list is eventually consistent: how long a test waits for it. */
  readonly patienceMs: number;
}

/** Time that an open delivery, or a gate, is left to its own message. */
const graceMs = 5 * 60_000;

/** What the sweeper relies on. */
export function dueListContract(makeSubject: () => Promise<DueListSubject>): void {
  describe("what is overdue", () => {
    it("holds a retry from five minutes after its time until it is delivered, its next attempt included", async () => {
      const subject = await makeSubject();
      const nowMs = subject.clock.now();
      const first = claimed(aDelivery(nowMs), nowMs);
      const retry = recorded(first, 503, nowMs);
      const dueMs = (retry.nextAttemptAtMs ?? 0) + graceMs;
      await subject.table.replaceDelivery(null, first);
      await expectDue(subject, first, "overdue", nowMs + 86_400_000, false);
      await subject.table.replaceDelivery(first, retry);
      await expectDue(subject, retry, "overdue", dueMs, true);
      await expectDue(subject, retry, "overdue", dueMs - 1, false);
      const second = claimed(retry, nowMs);
      await subject.table.replaceDelivery(retry, second);
      await expectDue(subject, second, "overdue", dueMs, true);
      const done = recorded(second, 200, nowMs);
      await subject.table.replaceDelivery(second, done);
      await expectDue(subject, done, "overdue", dueMs, false);
    });

    it("holds a gate at which deliveries may be parked, until that is cleared", async () => {
      const subject = await makeSubject();
      const nowMs = subject.clock.now();
      const record = aSubscriptionRecord({ sourceId: "contract", subscriptionId: aSubscriptionId(nowMs) });
      await subject.subscriptions.createSubscription(record, {});
      await expectGateDue(subject, record.subscriptionId, false);
      await subject.gates.noteParked(record.subscriptionId, nowMs);
      await expectGateDue(subject, record.subscriptionId, true);
      const gate = await subject.gates.find(record.subscriptionId, { fresh: true });
      if (gate !== null) await subject.gates.clearParked(gate);
      await expectGateDue(subject, record.subscriptionId, false);
    });
  });

  describe("what is parked", () => {
    it("is listed from the end of its wait on", async () => {
      const subject = await makeSubject();
      const held = parked(aDelivery(subject.clock.now()), subject.clock.now());
      const endMs = held.parkedUntilMs ?? 0;
      await subject.table.replaceDelivery(null, held);
      await expectDue(subject, held, "parked", endMs, true);
      await expectDue(subject, held, "parked", endMs - 1, false);
      await expectDue(subject, held, "overdue", endMs, false);
      const second = claimed(held, subject.clock.now());
      await subject.table.replaceDelivery(held, second);
      await expectDue(subject, second, "parked", endMs, false);
    });
  });

  describe("an entry that is postponed", () => {
    it("comes again at its new time, moved by one of those who read it", async () => {
      const subject = await makeSubject();
      const { entry, retry, dueMs } = await anOverdueRetry(subject);
      const moved = await Promise.all([1, 2, 3].map(() => subject.dueList.postpone(entry, dueMs + 60_000)));
      expect(moved.filter(Boolean)).toHaveLength(1);
      await expectDue(subject, retry, "overdue", dueMs + 59_999, false);
      await expectDue(subject, retry, "overdue", dueMs + 60_000, true);
      expect(await subject.table.findDelivery(retry.deliveryId)).toEqual(retry);
    });

    it("is not moved once the delivery has gone on", async () => {
      const subject = await makeSubject();
      const { entry, retry, dueMs } = await anOverdueRetry(subject);
      const second = claimed(retry, subject.clock.now());
      await subject.table.replaceDelivery(retry, second);
      await subject.table.replaceDelivery(second, recorded(second, 200, subject.clock.now()));
      expect(await subject.dueList.postpone(entry, dueMs + 60_000)).toBe(false);
      await expectDue(subject, retry, "overdue", dueMs + 86_400_000, false);
    });
  });
}

async function anOverdueRetry(subject: DueListSubject) {
  const nowMs = subject.clock.now();
  const retry = recorded(claimed(aDelivery(nowMs), nowMs), 503, nowMs);
  const dueMs = (retry.nextAttemptAtMs ?? 0) + graceMs;
  await subject.table.replaceDelivery(null, retry);
  await expectDue(subject, retry, "overdue", dueMs, true);
  const entry = (await entriesOf(subject, "overdue", dueMs)).find((each) => isOf(each, retry));
  if (entry === undefined) throw new Error("the retry is not listed");
  return { entry, retry, dueMs };
}

async function expectDue(
  subject: DueListSubject,
  delivery: Delivery,
  list: "overdue" | "parked",
  untilMs: number,
  listed: boolean,
): Promise<void> {
  await eventually(subject, async () => {
    const entries = await entriesOf(subject, list, untilMs);
    expect(entries.some((entry) => isOf(entry, delivery))).toBe(listed);
  });
}

async function expectGateDue(subject: DueListSubject, subscriptionId: string, listed: boolean): Promise<void> {
  await eventually(subject, async () => {
    const entries = await entriesOf(subject, "overdue", subject.clock.now() + graceMs);
    expect(entries.some((entry) => entry.kind === "gate" && entry.subscriptionId === subscriptionId)).toBe(listed);
  });
}

const isOf = (entry: DueEntry, { deliveryId }: Delivery) =>
  entry.kind === "delivery" && entry.deliveryId === deliveryId;

async function entriesOf({ dueList }: DueListSubject, list: "overdue" | "parked", untilMs: number) {
  const entries: DueEntry[] = [];
  for await (const page of dueList.due(list, untilMs)) entries.push(...page);
  return entries;
}

const eventually = (subject: DueListSubject, check: () => Promise<void>) =>
  vi.waitFor(check, { timeout: subject.patienceMs, interval: 20 });
