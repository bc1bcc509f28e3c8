import { isDeleted } from "../../core/gate.js";
import type { Delivery, Gate, ReleaseState, Subscription } from "../../core/model.js";
import {
  afterPage,
  afterPass,
  continuedRelease,
  keepsLastAttempt,
  mayBeBehind,
  mostStillParked,
  nextPageAtMs,
  pageSize,
} from "../../core/release.js";
import { paceBehind } from "../../core/release-pace.js";
import { withTick } from "../../core/ticks.js";
import { attemptMessage, sendWhenDue } from "../delivery/announce.js";
import { laneOf } from "../delivery/slow-lane.js";
import type { ParkedEntry } from "../ports.js";
import { movedOnly, type TickContext, type TickStep } from "./tick-context.js";

/** Deliveries of a page that are looked at at the same time, and sent together. */
const sendSize = 100;

/** A page of a release, the change to its second pass, or its end; null when nothing is parked and nothing goes on. */
export async function releaseStep(
  context: TickContext,
  gate: Gate,
  subscription: Subscription,
  by: string,
): Promise<TickStep | null> {
  const { subscriptionId, maxPerSecond } = subscription;
  const nowMs = context.now();
  // What is parked at a deleted subscription is only ended: neither pace nor rate is anybody's concern.
  const limit = isDeleted(gate) ? null : maxPerSecond;
  const release = continuedRelease(gate, nowMs);
  const size = pageSize(gate, release, limit, nowMs);
  const nextMs = nextPageAtMs(gate, limit, nowMs);
  if (size === 0) return movedOnly(withTick({ ...gate, release }, nextMs, by));
  if (mayBeBehind(release, limit) && (await isQueueBehind(context, subscriptionId, release))) {
    return movedOnly(withTick({ ...gate, release: { ...release, pace: paceBehind(release.pace) } }, nextMs, by));
  }
  const entries = await context.parked.parkedAfter(subscriptionId, release.after, size);
  const last = entries.at(-1);
  if (last === undefined) return movedOnly(afterPass(gate, release, nowMs, by));
  const parked = await parkedOf(context, entries);
  const letGo = toLetGo(gate, release, parked, subscription);
  const sentAtOnce = letGo.filter(({ nextAttemptAtMs }) => (nextAttemptAtMs ?? 0) <= nowMs).length;
  const paged = afterPage(release, { last: last.position, size: parked.length, letGo: letGo.length, sentAtOnce });
  return {
    next: withTick({ ...gate, release: paged }, nextMs, by),
    send: () => sendPage(context, subscriptionId, letGo),
  };
}

async function isQueueBehind({ parked }: TickContext, subscriptionId: string, release: ReleaseState): Promise<boolean> {
  const most = mostStillParked(release);
  const entries = await parked.parkedAfter(subscriptionId, release.from, most + 1);
  return entries.filter(({ position }) => position <= (release.after ?? "")).length > most;
}

async function parkedOf(context: TickContext, entries: readonly ParkedEntry[]): Promise<readonly Delivery[]> {
  const found: Delivery[] = [];
  for (let start = 0; start < entries.length; start += sendSize) {
    const ids = entries.slice(start, start + sendSize).map(({ deliveryId }) => deliveryId);
    found.push(...(await context.deliveries.findDeliveries(ids)));
  }
  const order = new Map(entries.map(({ deliveryId }, index) => [deliveryId, index]));
  return found
    .filter(({ status }) => status === "parked")
    .toSorted((a, b) => (order.get(a.deliveryId) ?? 0) - (order.get(b.deliveryId) ?? 0));
}

/** What is parked at a deleted subscription is only ended: no attempt is at risk. */
function toLetGo(gate: Gate, release: ReleaseState, parked: readonly Delivery[], { policy }: Subscription) {
  return isDeleted(gate) ? parked : parked.filter((each) => !keepsLastAttempt({ release }, each, policy));
}

/** A release only sends messages: a delivery stays parked until its claim, whatever becomes of the gate meanwhile. */
async function sendPage(context: TickContext, subscriptionId: string, parked: readonly Delivery[]): Promise<void> {
  const lane = await laneOf(context.gates, subscriptionId);
  const nowMs = context.now();
  const messages = parked.map((each) => attemptMessage(each, Math.max(nowMs, each.nextAttemptAtMs ?? 0)));
  const due = messages.filter(({ dueAtMs }) => dueAtMs <= nowMs);
  if (due.length > 0) await context.queue.sendDeliveries(due, 0, lane);
  for (const later of messages.filter(({ dueAtMs }) => dueAtMs > nowMs)) await sendWhenDue(context, later);
}

/** Sends the last page again: the function that stored it may have died before its sends. */
export async function repeatPage(context: TickContext, gate: Gate, subscription: Subscription): Promise<void> {
  const { release, subscriptionId } = gate;
  if (release === undefined || release.after === null) return;
  const entries: ParkedEntry[] = [];
  for (let { from } = release; ; ) {
    const page = await context.parked.parkedAfter(subscriptionId, from, sendSize);
    const within = page.filter(({ position }) => position <= (release.after as string));
    entries.push(...within);
    const last = page.at(-1);
    if (last === undefined || within.length < page.length) break;
    from = last.position;
  }
  const letGo = toLetGo(gate, release, await parkedOf(context, entries), subscription);
  if (letGo.length > 0) await sendPage(context, subscriptionId, letGo);
}
