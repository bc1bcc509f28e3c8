import { keepAttempts } from "./attempt-history.js";
import { eventExpiresAt } from "./expiry.js";
import { deliveryIdOf } from "./ids.js";
import type { Attempt, Claim, DeadLetterReason, Delivery, RetryPolicy } from "./model.js";
import { decideNext } from "./policy.js";

/**
 * The delivery's state machine: every transition as a pure function from one delivery to the next. Who may make a
 * transition is decided by {@link judgeMessage} (core/message-verdict.ts); that it happens at most once is the table's
 * conditional write.
 */

/** What identifies a delivery that has no item yet. */
export interface DeliveryOrigin {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly sourceId: string;
  readonly subscriptionId: string;
  readonly bodySha256: string;
  readonly receivedAtMs: number;
}

/** Days before the end of the retention at which an open delivery is dead-lettered, so that it stays visible. */
export const openLimitMarginDays = 7;

const dayMs = 86_400_000;

/** A replay ends so long before its event's content expires. */
const contentMarginDays = 1;

/**
 * A delivery before its first write. That of an event is not stored as such: its first claim or parking is what stores
 * it. A replay is, before its message is sent.
 */
export function newDelivery(origin: DeliveryOrigin, nowMs: number, replayOf: string | null = null): Delivery {
  const { deliveryId, eventId, sourceId, subscriptionId, bodySha256, receivedAtMs } = origin;
  return {
    deliveryId,
    eventId,
    sourceId,
    subscriptionId,
    bodySha256,
    receivedAtMs,
    status: "pending",
    attemptsStarted: 0,
    attempts: [],
    attemptsDropped: 0,
    claim: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    nextAttemptAtMs: null,
    nextDelaySeconds: null,
    deadLetterReason: null,
    replayOf,
    parkedUntilMs: null,
  };
}

/** The same for every retry and replay: the receiver's key for "have I seen this already". */
export function webhookIdOf({ deliveryId, eventId, subscriptionId, replayOf }: Delivery): string {
  return replayOf === null ? deliveryId : deliveryIdOf(eventId, subscriptionId);
}

/** Takes the right to make the next attempt. From `pending`, `retry_scheduled` or `parked` only. */
export function claimAttempt(
  delivery: Delivery,
  { token, guard, leaseUntilMs }: Pick<Claim, "token" | "guard" | "leaseUntilMs">,
  nowMs: number,
): Delivery {
  if (!isClaimable(delivery)) throw new Error(`a delivery that is ${delivery.status} cannot be claimed`);
  const attempt = delivery.attemptsStarted + 1;
  const delaySeconds = delivery.nextDelaySeconds ?? 0;
  return {
    ...delivery,
    status: "attempting",
    attemptsStarted: attempt,
    // Written out: V8 takes long to add a property to what was spread first.
    claim: { token, guard, leaseUntilMs, attempt, startedAtMs: nowMs, delaySeconds },
    nextAttemptAtMs: null,
    nextDelaySeconds: null,
    parkedUntilMs: null,
    updatedAtMs: nowMs,
  };
}

/** True when a claim may take the delivery. */
export function isClaimable(delivery: Delivery): boolean {
  return delivery.status === "pending" || delivery.status === "retry_scheduled" || delivery.status === "parked";
}

/** True for the two final states. */
export function isFinal(delivery: Delivery): boolean {
  return delivery.status === "delivered" || delivery.status === "dead_lettered";
}

/** Holds a delivery at a closed gate: no attempt is counted, what was due stays due. */
export function park(delivery: Delivery, nowMs: number, parkedUntilMs: number): Delivery {
  return { ...delivery, status: "parked", parkedUntilMs, updatedAtMs: nowMs };
}

/** The end of a wait at a closed gate: the policy's time budget, or the time from which open deliveries must end. */
export function parkingEnd(delivery: Delivery, policy: RetryPolicy, retentionDays: number): number {
  return Math.min(budgetEnd(delivery, policy), openLimit(delivery, retentionDays));
}

/** The end of the policy's time budget; infinity: it has none. */
export function budgetEnd(delivery: Delivery, { maxAgeSeconds }: Pick<RetryPolicy, "maxAgeSeconds">): number {
  return maxAgeSeconds === null ? Number.POSITIVE_INFINITY : budgetStart(delivery) + maxAgeSeconds * 1000;
}

/** A replay has a time budget of its own: the event's may be long over. */
function budgetStart({ replayOf, createdAtMs, receivedAtMs }: Delivery): number {
  return replayOf === null ? receivedAtMs : createdAtMs;
}

/**
 * Open deliveries end here, so that they stay visible and can be replayed before the table forgets them; a replay, while
 * its event's content is there.
 */
export function openLimit({ replayOf, receivedAtMs }: Delivery, retentionDays: number): number {
  if (replayOf !== null) return replayLimit(receivedAtMs, retentionDays);
  return receivedAtMs + (retentionDays - openLimitMarginDays) * dayMs;
}

/** The end of every replay of an event that was received then; from then on none is begun. */
export function replayLimit(receivedAtMs: number, retentionDays: number): number {
  return eventExpiresAt(receivedAtMs, retentionDays) * 1000 - contentMarginDays * dayMs;
}

/** Ends a delivery without a further attempt. */
export function deadLetter(delivery: Delivery, reason: DeadLetterReason, nowMs: number): Delivery {
  return {
    ...delivery,
    status: "dead_lettered",
    deadLetterReason: reason,
    nextAttemptAtMs: null,
    nextDelaySeconds: null,
    parkedUntilMs: null,
    updatedAtMs: nowMs,
  };
}

/**
 * Ends a delivery that needs no attempt, in the name of the message that found it out: received again, only that
 * message repeats the announcement.
 */
export function endWithoutAttempt(
  delivery: Delivery,
  reason: DeadLetterReason,
  owner: Pick<Claim, "token" | "guard">,
  nowMs: number,
): Delivery {
  const attempt = delivery.attemptsStarted;
  const claim = { ...owner, attempt, leaseUntilMs: nowMs, startedAtMs: nowMs, delaySeconds: 0 };
  return { ...deadLetter(delivery, reason, nowMs), claim };
}

/** What a record needs to know besides the attempt. */
export interface RecordContext {
  readonly policy: RetryPolicy;
  /** Days that terminal deliveries are kept. */
  readonly retentionDays: number;
  readonly nowMs: number;
  readonly random: () => number;
  /** The destination said that it is gone for good, and the policy believes it: hold instead of ending. */
  readonly gone?: boolean;
}

/** Adds a recorded attempt and moves to what follows it: delivered, the next attempt's due time, or dead. */
export function recordAttempt(delivery: Delivery, attempt: Attempt, context: RecordContext): Delivery {
  const recorded: Delivery = { ...delivery, ...keepAttempts(delivery, attempt), updatedAtMs: context.nowMs };
  const next = decideNext(context.policy, {
    outcome: attempt.outcome,
    attemptsMade: attempt.number,
    retryAfterSeconds: attempt.retryAfterSeconds,
    receivedAtMs: budgetStart(delivery),
    nowMs: context.nowMs,
    random: context.random,
  });
  if (context.gone && attempt.number < context.policy.maxAttempts) {
    return park(recorded, context.nowMs, parkingEnd(recorded, context.policy, context.retentionDays));
  }
  if (next.kind === "done") return { ...recorded, status: "delivered" };
  if (next.kind === "dead_letter") return deadLetter(recorded, refusalReason(attempt, next.reason), context.nowMs);
  return scheduleNext(recorded, next.delaySeconds, next.dueAtMs, context);
}

/** An address, port or header that we refuse to send is its own reason: no answer of the destination's. */
function refusalReason(attempt: Attempt, reason: DeadLetterReason): DeadLetterReason {
  const refused = attempt.error === "blocked_address" || attempt.error === "blocked_port";
  return reason === "permanent" && refused ? "blocked" : reason;
}

/**
 * Takes over an attempt whose lease ended without a record: its outcome is `unknown`, it counts against the maximum,
 * and the next one is due at its start + delay, at once if that is past.
 */
export function recordLostAttempt(delivery: Delivery, context: RecordContext): Delivery {
  const lost = lostAttempt(delivery);
  const next = recordAttempt(delivery, lost, { ...context, nowMs: lost.startedAtMs });
  const dueAtMs = next.nextAttemptAtMs === null ? null : Math.max(next.nextAttemptAtMs, context.nowMs);
  return { ...next, nextAttemptAtMs: dueAtMs, updatedAtMs: context.nowMs };
}

/** The same where no next attempt can follow: the lost one is kept all the same, since its request may have arrived. */
export function endLostAttempt(delivery: Delivery, reason: DeadLetterReason, nowMs: number): Delivery {
  return deadLetter({ ...delivery, ...keepAttempts(delivery, lostAttempt(delivery)) }, reason, nowMs);
}

function lostAttempt({ claim }: Delivery): Attempt {
  if (claim === null) throw new Error("a delivery without a claim has no attempt to lose");
  return {
    number: claim.attempt,
    startedAtMs: claim.startedAtMs,
    delaySeconds: claim.delaySeconds,
    outcome: "unknown",
    statusCode: null,
    error: null,
    durationMs: null,
    retryAfterSeconds: null,
  };
}

function scheduleNext(delivery: Delivery, delaySeconds: number, dueAtMs: number, context: RecordContext): Delivery {
  if (dueAtMs > openLimit(delivery, context.retentionDays)) return deadLetter(delivery, "retention", context.nowMs);
  return { ...delivery, status: "retry_scheduled", nextAttemptAtMs: dueAtMs, nextDelaySeconds: delaySeconds };
}

/**
 * Why a delivery that waited (parked, or for a retry) gets no further attempt: it has outlived its time budget, or the
 * time for which it can stay open. Null when it has not. A first attempt that was never held is made whatever the time
 * budget says, unless it is a replay whose content is about to expire.
 */
export function overdueReason(
  delivery: Delivery,
  policy: RetryPolicy,
  retentionDays: number,
  nowMs: number,
): "max_age" | "retention" | null {
  const hasWaited = delivery.attemptsStarted > 0 || delivery.status === "parked";
  if (!hasWaited && delivery.replayOf === null) return null;
  if (nowMs > openLimit(delivery, retentionDays)) return "retention";
  return hasWaited && nowMs > parkingEnd(delivery, policy, retentionDays) ? "max_age" : null;
}
