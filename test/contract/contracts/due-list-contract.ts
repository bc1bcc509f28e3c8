import { describe, expect, it, vi } from "vitest";
import type { SubscriptionStore } from "../../../functions/app/admin/ports.js";
import type { DeliveryTable, DueEntry, DueList, Gates } from "../../../functions/app/ports.js";
import { closeCircuit, openCircuit } from "../../../functions/core/circuit.js";
import type { Delivery, Gate } from "../../../functions/core/model.js";
import { presetCircuit } from "../../../functions/core/presets.js";
import { withTick } from "../../../functions/core/ticks.js";
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

    it("holds a replay from five minutes after its making until it is claimed", async () => {
      const subject = await makeSubject();
      const nowMs = subject.clock.now();
      const replay = { ...aDelivery(nowMs), replayOf: "dlv_an_earlier_one" };
      await subject.table.replaceDelivery(null, replay);
      await expectDue(subject, replay, "overdue", nowMs + graceMs, true);
      await expectDue(subject, replay, "overdue", nowMs + graceMs - 1, false);
      await subject.table.replaceDelivery(replay, claimed(replay, nowMs));
      await expectDue(subject, replay, "overdue", nowMs + graceMs, false);
    });

    it("holds a gate at which deliveries may be parked, until a release has found none", async () => {
      const subject = await makeSubject();
      const { subscriptionId } = await aGate(subject);
      await expectGateDue(subject, subscriptionId, false);
      await subject.gates.noteParked(subscriptionId, subject.clock.now());
      await expectGateDue(subject, subscriptionId, true);
      await move(subject, subscriptionId, (gate) => withTick({ ...gate, holdsParked: false }, null));
      await expectGateDue(subject, subscriptionId, false);
    });

    it("holds a gate whose circuit is open, from five minutes after its next tick was due, until its release has found nothing", async () => {
      const subject = await makeSubject();
      const { subscriptionId } = await aGate(subject);
      const nowMs = subject.clock.now();
      const open = (gate: Gate) => openCircuit(gate, presetCircuit("default"), nowMs, () => 0.5);
      await move(subject, subscriptionId, (gate) => withTick(open(gate), nowMs + 15_000));
      await expectGateDue(subject, subscriptionId, false, nowMs + 15_000 + graceMs - 1);
      await expectGateDue(subject, subscriptionId, true, nowMs + 15_000 + graceMs);
      // A chain that goes on moves the gate on with each tick.
      await move(subject, subscriptionId, (gate) => withTick(gate, nowMs + 45_000));
      await expectGateDue(subject, subscriptionId, false, nowMs + 45_000 + graceMs - 1);
      await expectGateDue(subject, subscriptionId, true, nowMs + 45_000 + graceMs);
      // Closed: were the tick of its release lost, nobody else would look.
      await move(subject, subscriptionId, (gate) => withTick(closeCircuit(gate, nowMs), nowMs));
      await expectGateDue(subject, subscriptionId, true);
      await move(subject, subscriptionId, (gate) => withTick({ ...gate, holdsParked: false }, null));
      await expectGateDue(subject, subscriptionId, false);
    });

    it("still holds a gate whose circuit closed while deliveries are parked at it", async () => {
      const subject = await makeSubject();
      const { subscriptionId } = await aGate(subject);
      const nowMs = subject.clock.now();
      const open = (gate: Gate) => openCircuit(gate, presetCircuit("default"), nowMs, () => 0.5);
      await move(subject, subscriptionId, (gate) => withTick(open(gate), nowMs));
      await subject.gates.noteParked(subscriptionId, nowMs);
      await move(subject, subscriptionId, (gate) => withTick(closeCircuit(gate, nowMs), nowMs));
      await expectGateDue(subject, subscriptionId, true);
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

/** A gate of its own. */
async function aGate(subject: DueListSubject) {
  const record = aSubscriptionRecord({ sourceId: "contract", subscriptionId: aSubscriptionId(subject.clock.now()) });
  await subject.subscriptions.createSubscription(record, {});
  return record;
}

async function move({ gates }: DueListSubject, subscriptionId: string, change: (gate: Gate) => Gate): Promise<void> {
  const gate = await gates.find(subscriptionId, { fresh: true });
  if (gate === null || !(await gates.replaceGate(gate, change(gate)))) throw new Error("the gate was not moved");
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

async function expectGateDue(
  subject: DueListSubject,
  subscriptionId: string,
  listed: boolean,
  untilMs = subject.clock.now() + graceMs,
): Promise<void> {
  await eventually(subject, async () => {
    const entries = await entriesOf(subject, "overdue", untilMs);
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
