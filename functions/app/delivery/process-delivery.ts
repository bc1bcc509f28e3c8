import {
  claimAttempt,
  type DeliveryOrigin,
  endLostAttempt,
  endWithoutAttempt,
  newDelivery,
  overdueReason,
  park,
  parkingEnd,
  recordAttempt,
  recordLostAttempt,
} from "../../core/delivery.js";
import { isDeleted } from "../../core/gate.js";
import { judgeMessage } from "../../core/message-verdict.js";
import type { Claim, Delivery, EventContent, EventMeta, Gate } from "../../core/model.js";
import type { DeliveryMessage, OpenSubscription } from "../ports.js";
import { announceNext, attemptMessage, sendWhenDue } from "./announce.js";
import {
  acknowledged,
  type DeliveryContext,
  type InvocationTime,
  type MessageEnd,
  type Receipt,
} from "./delivery-context.js";
import { leavesTimeToSend, returnDelaySeconds } from "./invocation-time.js";
import { logAttempt } from "./log-attempt.js";
import { makeAttempt } from "./make-attempt.js";
import { belongsToSlowLane, handOver } from "./slow-lane.js";

/** An event that can be sent, and the step that makes it durable beside the send. */
export interface SendableEvent {
  readonly event: EventMeta;
  readonly content: EventContent;
  /** Stores the event if it is not stored yet; awaited before the attempt is recorded. */
  store(): Promise<void>;
}

/** One delivery's turn: which attempt a message announces, and where its event comes from. */
export interface Turn {
  readonly origin: Omit<DeliveryOrigin, "bodySha256" | "receivedAtMs">;
  readonly attempt: number;
  /** Nearly certain that the delivery has an item: it is read before the first write. Default: from attempt 2 on. */
  readonly stored?: boolean;
  /** The sweeper's: see {@link DeliveryMessage.repair}. */
  readonly repair?: boolean;
  /** Given when the message itself carries the event. */
  readonly bodySha256?: string;
  /** Loads the event; called only when an attempt may really be made. */
  load(): Promise<SendableEvent>;
}

/**
 * Claim, send, record, announce: one delivery's next attempt. Each step is one conditional write; a crash between two
 * of them leaves something that the same message, received again, repairs. Rejects when our own infrastructure failed.
 */
export async function processDelivery(
  context: DeliveryContext,
  turn: Turn,
  receipt: Receipt,
  time: InvocationTime,
): Promise<MessageEnd> {
  // A first attempt is claimed without a look: it nearly always is the first. Later ones need what is stored.
  const { stored = turn.attempt > 1 } = turn;
  let step = stored ? await look(context, turn) : await attemptFrom(context, turn, null, receipt, time);
  for (let looks = 0; looks < looksAtMost; looks++) {
    if ("ack" in step) return step;
    step = await act(context, turn, step.stored, receipt, time);
  }
  if ("ack" in step) return step;
  throw new Error(`delivery ${turn.origin.deliveryId} kept changing under ${looksAtMost} reads`);
}

/** Every lost race means that somebody else made a step; more than this many in a row is no race. */
const looksAtMost = 5;

/** What is stored now: the conditional write, if there was one, found another state than the one it started from. */
interface Look {
  readonly stored: Delivery | null;
}

type Step = MessageEnd | Look;

/** Reads the delivery, and beside it what its attempt will need: nearly always it is due, and saves a round trip. */
async function look(context: DeliveryContext, { origin, load }: Turn): Promise<Look> {
  const needed = [
    load(),
    context.subscriptions.open(origin.sourceId, origin.subscriptionId),
    context.gates.find(origin.subscriptionId),
  ];
  // Whoever needs one of them asks again, and gets its failure then.
  const [stored] = await Promise.all([
    context.deliveries.findDelivery(origin.deliveryId),
    Promise.allSettled<unknown>(needed),
  ]);
  return { stored };
}

async function act(
  context: DeliveryContext,
  turn: Turn,
  stored: Delivery | null,
  receipt: Receipt,
  time: InvocationTime,
): Promise<Step> {
  if (stored === null) {
    if (turn.attempt === 1) return attemptFrom(context, turn, null, receipt, time);
    throw new Error(`delivery ${turn.origin.deliveryId} has no item, but attempt ${turn.attempt} is announced`);
  }
  const message = {
    messageId: receipt.messageId,
    attempt: turn.attempt,
    repair: turn.repair === true,
    ...(turn.bodySha256 === undefined ? {} : { bodySha256: turn.bodySha256 }),
  };
  const verdict = judgeMessage(stored, message, context.now());
  switch (verdict.act) {
    case "claim":
      return attemptFrom(context, turn, stored, receipt, time);
    case "drop":
      if (verdict.because === "duplicate_body") logDuplicate(context, stored);
      return acknowledged;
    case "wait":
      await sendWhenDue(context, attemptMessage(stored, verdict.dueAtMs));
      return acknowledged;
    case "return":
      return { ack: false, returnAfterSeconds: Math.ceil(verdict.afterMs / 1000) };
    case "take_over":
      return takeOver(context, stored);
    case "announce":
      await announceNext(context, stored);
      return acknowledged;
    case "fault":
      throw new Error(`delivery ${stored.deliveryId}: ${verdict.because}`);
    default:
      return assertNever(verdict);
  }
}

/** Makes the next attempt of `stored` (null: the delivery's first write), if its subscription and gate allow it. */
async function attemptFrom(
  context: DeliveryContext,
  turn: Turn,
  stored: Delivery | null,
  receipt: Receipt,
  time: InvocationTime,
): Promise<Step> {
  const { sourceId, subscriptionId } = turn.origin;
  const [subscription, gate, sendable] = await Promise.all([
    context.subscriptions.open(sourceId, subscriptionId),
    currentGate(context, subscriptionId),
    turn.load(),
  ]);
  const current = stored ?? newDelivery(originOf(turn, sendable.event), context.now());
  const owner = { token: context.newToken(), guard: receipt.messageId };
  // The gate shows a deletion at once, the subscription's cache some seconds later.
  if (subscription === null || subscription.deletedAtMs !== null || (gate !== null && isDeleted(gate))) {
    return write(context, stored, endWithoutAttempt(current, "subscription_deleted", owner, context.now()), sendable);
  }
  const overdue = overdueReason(current, subscription.policy, context.settings.retentionDays, context.now());
  if (overdue !== null) {
    return write(context, stored, endWithoutAttempt(current, overdue, owner, context.now()), sendable);
  }
  if (isClosed(gate)) return hold(context, stored, current, subscription, sendable);
  if (belongsToSlowLane(gate, receipt, context.now())) {
    return sendOnBySlowLane(context, turn, stored, receipt, sendable);
  }
  if (!leavesTimeToSend(time, context.now())) {
    return { ack: false, returnAfterSeconds: returnDelaySeconds(receipt.receiveCount) };
  }
  const claimed = claimAttempt(current, { ...owner, leaseUntilMs: time.leaseUntilMs }, context.now());
  const lost = await replace(context, stored, claimed);
  if (lost !== null) return lost;
  await sendAndRecord(context, claimed, subscription, sendable, time);
  return acknowledged;
}

/** Before any claim: nothing is held by this invocation, and the event is stored before its message is gone. */
async function sendOnBySlowLane(
  context: DeliveryContext,
  { origin, attempt, repair }: Turn,
  stored: Delivery | null,
  receipt: Receipt,
  sendable: SendableEvent,
): Promise<MessageEnd> {
  await sendable.store();
  const { deliveryId, eventId, sourceId, subscriptionId } = origin;
  const ids = { deliveryId, eventId, sourceId, subscriptionId };
  const flags = { ...(stored === null ? {} : { stored: true as const }), ...(repair ? { repair: true as const } : {}) };
  await handOver(context, { v: 1, kind: "delivery", ...ids, attempt, dueAtMs: context.now(), ...flags }, receipt);
  return acknowledged;
}

/** The gate. Closed is believed only from a fresh read: a cached "paused" would drop what a resume just released. */
async function currentGate(context: DeliveryContext, subscriptionId: string): Promise<Gate | null> {
  const cached = await context.gates.find(subscriptionId);
  return cached?.status === "active" ? cached : context.gates.find(subscriptionId, { fresh: true });
}

const isClosed = (gate: Gate | null): boolean => gate !== null && gate.status !== "active";

function originOf(turn: Turn, event: EventMeta): DeliveryOrigin {
  return { ...turn.origin, bodySha256: event.bodySha256, receivedAtMs: event.receivedAtMs };
}

/**
 * One conditional write: null when it was made, else what is stored instead. A failed condition may be our own write
 * whose answer was lost: then what is stored is what we wrote.
 */
async function replace(context: DeliveryContext, previous: Delivery | null, next: Delivery): Promise<Look | null> {
  if (await context.deliveries.replaceDelivery(previous, next)) return null;
  const stored = await context.deliveries.findDelivery(next.deliveryId);
  return stored !== null && isOwnWrite(stored, next) ? null : { stored };
}

/** The token alone is not enough: a take-over leaves it, so that a late result would pass for the record of it. */
function isOwnWrite(stored: Delivery, written: Delivery): boolean {
  return (
    written.claim !== null &&
    stored.claim?.token === written.claim.token &&
    stored.status === written.status &&
    stored.updatedAtMs === written.updatedAtMs &&
    stored.attempts.at(-1)?.outcome === written.attempts.at(-1)?.outcome
  );
}

async function sendAndRecord(
  context: DeliveryContext,
  claimed: Delivery,
  subscription: OpenSubscription,
  sendable: SendableEvent,
  time: InvocationTime,
): Promise<void> {
  const { event, content } = sendable;
  const claim = claimed.claim as Claim;
  const [{ attempt, gone }, stored] = await Promise.all([
    makeAttempt(context, { event, content, subscription, claim }, time),
    settled(sendable.store()),
  ]);
  // A recorded attempt always has its event. One more try, since the request is out and its outcome worth keeping.
  if (!stored) await sendable.store();
  if (gone) await closeGate(context, subscription.subscriptionId);
  const recorded = recordAttempt(claimed, attempt, { ...recordContext(context, subscription), gone });
  const mine = (await replace(context, claimed, recorded)) === null;
  logAttempt(context, subscription, recorded, attempt, mine);
  // Not ours any more: the lease ended and somebody took over. Their state is newer; ours must not overwrite it.
  if (mine) await announceNext(context, recorded);
}

/** The destination is gone for good: what comes is parked from now on, this delivery included. */
async function closeGate({ gates, now }: DeliveryContext, subscriptionId: string): Promise<void> {
  await gates.disable(subscriptionId, "gone", now());
  await gates.noteParked(subscriptionId, now());
}

async function settled(step: Promise<void>): Promise<boolean> {
  try {
    await step;
    return true;
  } catch {
    return false;
  }
}

async function takeOver(context: DeliveryContext, stored: Delivery): Promise<Step> {
  const subscription = await context.subscriptions.open(stored.sourceId, stored.subscriptionId);
  const next =
    subscription === null || subscription.deletedAtMs !== null
      ? endLostAttempt(stored, "subscription_deleted", context.now())
      : recordLostAttempt(stored, recordContext(context, subscription));
  const lost = await replace(context, stored, next);
  if (lost !== null) return lost;
  context.log("warn", "attempt lost, outcome unknown", {
    deliveryId: stored.deliveryId,
    attempt: stored.attemptsStarted,
  });
  await announceNext(context, next);
  return acknowledged;
}

/** Parks at a closed gate. The gate is read again after the write: an opening in between must not be missed. */
async function hold(
  context: DeliveryContext,
  stored: Delivery | null,
  current: Delivery,
  { policy }: OpenSubscription,
  sendable: SendableEvent,
): Promise<Step> {
  await context.gates.noteParked(current.subscriptionId, context.now());
  if (stored?.status === "parked") return acknowledged;
  const parkedUntilMs = parkingEnd(current, policy, context.settings.retentionDays);
  const step = await write(context, stored, park(current, context.now(), parkedUntilMs), sendable);
  if ("ack" in step && !isClosed(await currentGate(context, current.subscriptionId))) {
    await sendWhenDue(context, attemptMessage(current, current.nextAttemptAtMs ?? context.now()));
  }
  return step;
}

/** Writes a state that needs no attempt, after the event is stored, and announces it. */
async function write(
  context: DeliveryContext,
  stored: Delivery | null,
  next: Delivery,
  sendable: SendableEvent,
): Promise<Step> {
  await sendable.store();
  const lost = await replace(context, stored, next);
  if (lost !== null) return lost;
  await announceNext(context, next);
  return acknowledged;
}

function recordContext(context: DeliveryContext, { policy }: OpenSubscription) {
  const { retentionDays } = context.settings;
  return { policy, retentionDays, nowMs: context.now(), random: context.random };
}

function logDuplicate(context: DeliveryContext, { deliveryId, eventId, sourceId }: Delivery): void {
  context.log("warn", "duplicate with another body, not sent", { deliveryId, eventId, sourceId });
}

function assertNever(value: never): never {
  throw new Error(`unexpected ${JSON.stringify(value)}`);
}

/** The turn of a message that names a stored event. */
export function turnOf(message: DeliveryMessage, load: () => Promise<SendableEvent>): Turn {
  const { deliveryId, eventId, sourceId, subscriptionId, attempt, repair = false } = message;
  const stored = message.stored === true || attempt > 1 || repair;
  return { origin: { deliveryId, eventId, sourceId, subscriptionId }, attempt, stored, repair, load };
}
