import { releasesParked } from "../../core/gate.js";
import type { Delivery, Gate } from "../../core/model.js";
import { isGoing, withTick } from "../../core/ticks.js";
import { attemptMessage } from "../delivery/announce.js";
import type {
  Clock,
  ControlQueue,
  DeliveryMessage,
  DeliveryQueue,
  DeliveryTable,
  DueEntry,
  DueList,
  Gates,
  ReplayTable,
} from "../ports.js";
import { sendTick } from "../ticks.js";
import { restartReplay } from "./replay-tick.js";

/** What a sweep needs from outside. */
export interface SweepContext {
  readonly dueList: DueList;
  readonly deliveries: DeliveryTable;
  readonly gates: Gates;
  readonly queue: DeliveryQueue;
  readonly control: ControlQueue;
  readonly replays: ReplayTable;
  readonly now: Clock;
}

/** What a sweep came to: the numbers that tell whether the relay heals itself, or is sick. */
export interface SweepReport {
  /** Deliveries whose message was lost and is sent again. */
  readonly resent: number;
  /** Releases started: the gate is passable and holds parked deliveries. */
  readonly released: number;
  /** Parked deliveries whose wait is over, announced to be ended. */
  readonly ended: number;
  /** Bulk replays whose tick was lost and that go on. */
  readonly restarted: number;
  /** Seconds since the oldest of the resent was due; 0 when none was. */
  readonly oldestOverdueSeconds: number;
  /** False when time ran out before the last page: the next sweep goes on. */
  readonly complete: boolean;
}

/** An overdue delivery is left to its own message for this long, and then looked at in growing steps. */
const firstStepMs = 5 * 60_000;
const lastStepMs = 4 * 3_600_000;

/**
 * Goes once through everything that is overdue. Each entry is first moved on by 5, 10, 20 … minutes, by one
 * conditional write, and only then sent again: two sweeps never send the same entry, and a backlog, whose messages are
 * late but not lost, is not multiplied. What is sent twice all the same is a copy, which the claim drops.
 */
export async function sweep(context: SweepContext, deadlineMs: number): Promise<SweepReport> {
  const startedAtMs = context.now();
  const report = { resent: 0, released: 0, ended: 0, restarted: 0, oldestOverdueSeconds: 0, complete: true };
  for await (const page of context.dueList.due("overdue", startedAtMs)) {
    for (const chunk of chunksOf(page)) await sweepDeliveries(context, chunk, report);
    for (const entry of page) {
      if (entry.kind === "gate") report.released += await sweepGate(context, entry);
      if (entry.kind === "replay") report.restarted += await sweepReplay(context, entry);
    }
    if (context.now() > deadlineMs) return { ...report, complete: false };
  }
  for await (const page of context.dueList.due("parked", startedAtMs)) {
    for (const chunk of chunksOf(page)) report.ended += await sweepParked(context, chunk);
    if (context.now() > deadlineMs) return { ...report, complete: false };
  }
  return report;
}

/** Entries that are moved on before they are sent: a sweep that dies in between delays no more than these. */
const chunkSize = 10;

function* chunksOf(page: readonly DueEntry[]): Generator<readonly DueEntry[]> {
  for (let start = 0; start < page.length; start += chunkSize) yield page.slice(start, start + chunkSize);
}

type Counts = { -readonly [Name in keyof SweepReport]: SweepReport[Name] };

async function sweepDeliveries(context: SweepContext, page: readonly DueEntry[], report: Counts): Promise<void> {
  const found = await deliveriesOf(context, page);
  const messages: DeliveryMessage[] = [];
  for (const entry of page) {
    const delivery = entry.kind === "delivery" ? found.get(entry.deliveryId) : undefined;
    const dueAtMs = delivery === undefined ? null : waitsSince(delivery);
    if (delivery === undefined || dueAtMs === null || dueAtMs + firstStepMs > context.now()) continue;
    const overdueMs = context.now() - dueAtMs;
    if (!(await context.dueList.postpone(entry, context.now() + nextStepMs(overdueMs)))) continue;
    messages.push(repairMessage(delivery, dueAtMs));
    report.oldestOverdueSeconds = Math.max(report.oldestOverdueSeconds, Math.round(overdueMs / 1000));
  }
  if (messages.length > 0) await context.queue.sendDeliveries(messages, 0);
  report.resent += messages.length;
}

/** The longer it has been overdue, the longer until the next look: each step doubles the time since it was due. */
const nextStepMs = (overdueMs: number): number => Math.min(lastStepMs, Math.max(firstStepMs, overdueMs));

/** Since when somebody should have come for the delivery; null when it is not waiting for a message. */
function waitsSince(delivery: Delivery): number | null {
  if (delivery.status === "pending") return delivery.createdAtMs;
  if (delivery.status === "retry_scheduled") return delivery.nextAttemptAtMs;
  return delivery.status === "attempting" ? (delivery.claim?.leaseUntilMs ?? null) : null;
}

/** For a retry the message of its next attempt; for an attempt whose lease ended, one that may take it over. */
function repairMessage(delivery: Delivery, dueAtMs: number): DeliveryMessage {
  if (delivery.status !== "attempting") return attemptMessage(delivery, dueAtMs);
  return { ...attemptMessage(delivery, dueAtMs), attempt: delivery.attemptsStarted, repair: true };
}

/**
 * Sets the ticks of a gate going again, where parked deliveries meet a passable gate or a circuit is open: whatever drove
 * it may have been lost. A chain that goes on as it should has moved the entry on, so that none is found here.
 */
async function sweepGate(context: SweepContext, entry: DueEntry & { readonly kind: "gate" }): Promise<number> {
  const { subscriptionId } = entry;
  const gate = await context.gates.find(subscriptionId, { fresh: true });
  if (gate === null) return 0;
  const nowMs = context.now();
  const isDriven = releasesParked(gate, nowMs) || (gate.status === "active" && (gate.circuit ?? gate.heldUntilMs));
  // Open for longer, and still not empty: what is parked waits in a backlog, and another look makes another copy.
  const stepMs = isDriven ? nextStepMs(nowMs - gate.changedAtMs) : firstStepMs;
  if (!(await context.dueList.postpone(entry, nowMs + stepMs)) || !isDriven || isGoing(gate, nowMs)) return 0;
  const restarted = withTick(asLastPass(gate, nowMs), nowMs);
  if (!(await context.gates.replaceGate(gate, restarted))) return 0;
  await sendTick(context, restarted);
  return 1;
}

async function sweepReplay(context: SweepContext, entry: DueEntry & { readonly kind: "replay" }): Promise<number> {
  if (!(await context.dueList.postpone(entry, context.now() + firstStepMs))) return 0;
  return (await restartReplay(context, entry.replayId)) ? 1 : 0;
}

/** A release that has ended begins again, with one pass. */
function asLastPass(gate: Gate, nowMs: number): Gate {
  if (gate.release?.endedAtMs === undefined || !releasesParked(gate, nowMs)) return gate;
  const { endedAtMs: _again, ...release } = gate.release;
  return {
    ...gate,
    release: { ...release, startedAtMs: nowMs, released: 0, from: null, after: null, sent: 0, lastPass: true },
  };
}

/**
 * Announces parked deliveries whose wait is over, by their time budget or by the retention: the delivery function
 * ends them before it looks at the gate, with everything that ending takes.
 */
async function sweepParked(context: SweepContext, page: readonly DueEntry[]): Promise<number> {
  const found = await deliveriesOf(context, page);
  const messages: DeliveryMessage[] = [];
  for (const entry of page) {
    const delivery = entry.kind === "delivery" ? found.get(entry.deliveryId) : undefined;
    const overMs = context.now() - (delivery?.parkedUntilMs ?? 0);
    if (delivery?.status !== "parked" || overMs < 0) continue;
    if (!(await context.dueList.postpone(entry, context.now() + nextStepMs(overMs)))) continue;
    messages.push(attemptMessage(delivery, context.now()));
  }
  if (messages.length > 0) await context.queue.sendDeliveries(messages, 0);
  return messages.length;
}

async function deliveriesOf(context: SweepContext, page: readonly DueEntry[]): Promise<ReadonlyMap<string, Delivery>> {
  const ids = page.flatMap((entry) => (entry.kind === "delivery" ? [entry.deliveryId] : []));
  const found = ids.length === 0 ? [] : await context.deliveries.findDeliveries(ids);
  return new Map(found.map((delivery) => [delivery.deliveryId, delivery]));
}
