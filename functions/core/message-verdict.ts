import { isClaimable, isFinal } from "./delivery.js";
import type { Delivery } from "./model.js";

/**
 * What a received message may do to its delivery. SQS delivers at least once and our own steps may be cut off at any
 * line, so the same attempt can be announced by several messages: the one that took the claim is the *guard*, and only
 * the guard, received again, repairs. Every other message for an attempt that has begun is a copy and does nothing;
 * otherwise each repair would multiply messages.
 */
export type MessageVerdict =
  /** Make the attempt. */
  | { readonly act: "claim" }
  /** Another message owns this attempt: acknowledge, do nothing. */
  | { readonly act: "drop"; readonly because: "copy" | "duplicate_body" | "finished" }
  /** Not due yet: send again for the remainder. */
  | { readonly act: "wait"; readonly dueAtMs: number }
  /** The guard's own attempt may still run: hand the message back until the lease ends. */
  | { readonly act: "return"; readonly afterMs: number }
  /** The guard's own attempt died: record it as unknown and go on. */
  | { readonly act: "take_over" }
  /** The guard recorded, but may have died before it announced what follows: announce it again. */
  | { readonly act: "announce" }
  /** The item does not know the attempts before this one: a fault of ours. */
  | { readonly act: "fault"; readonly because: string };

export interface ReceivedMessage {
  readonly messageId: string;
  /** Attempt that the message stands for. */
  readonly attempt: number;
  /** Sent by the sweeper, since nothing else is left of the attempt's own message. */
  readonly repair?: boolean;
  /** Body hash, when the message carries the event. */
  readonly bodySha256?: string;
}

/** A message that comes early by no more than this is acted on: SQS and Scheduler keep whole seconds. */
export const earlyToleranceMs = 1000;

/** Judges a message against the stored delivery. Total: every state has an answer. */
export function judgeMessage(delivery: Delivery, message: ReceivedMessage, nowMs: number): MessageVerdict {
  if (message.bodySha256 !== undefined && message.bodySha256 !== delivery.bodySha256) {
    return { act: "drop", because: "duplicate_body" };
  }
  if (message.attempt > delivery.attemptsStarted) return judgeUpcoming(delivery, message, nowMs);
  if (message.attempt === delivery.attemptsStarted) {
    if (isGuard(delivery, message)) return judgeGuard(delivery, nowMs);
    if (message.repair === true && isAbandoned(delivery, nowMs)) return { act: "take_over" };
  }
  return { act: "drop", because: "copy" };
}

function judgeUpcoming(delivery: Delivery, message: ReceivedMessage, nowMs: number): MessageVerdict {
  if (isFinal(delivery)) {
    const ownEnd = delivery.status === "dead_lettered" && isGuard(delivery, message);
    return ownEnd ? { act: "announce" } : { act: "drop", because: "finished" };
  }
  if (message.attempt > delivery.attemptsStarted + 1 || !isClaimable(delivery)) {
    const because = `attempt ${message.attempt} announced, but ${delivery.attemptsStarted} started (${delivery.status})`;
    return { act: "fault", because };
  }
  const dueAtMs = delivery.nextAttemptAtMs ?? nowMs;
  return dueAtMs - nowMs > earlyToleranceMs ? { act: "wait", dueAtMs } : { act: "claim" };
}

/** Is the claim this message's own? */
function isGuard({ claim }: Delivery, { messageId }: ReceivedMessage): boolean {
  return claim !== null && claim.guard === messageId;
}

function isAbandoned({ status, claim }: Delivery, nowMs: number): boolean {
  return status === "attempting" && (claim?.leaseUntilMs ?? 0) <= nowMs;
}

function judgeGuard(delivery: Delivery, nowMs: number): MessageVerdict {
  if (delivery.status === "attempting") {
    const leaseLeftMs = (delivery.claim?.leaseUntilMs ?? 0) - nowMs;
    return leaseLeftMs > 0 ? { act: "return", afterMs: leaseLeftMs } : { act: "take_over" };
  }
  return delivery.status === "delivered" ? { act: "drop", because: "finished" } : { act: "announce" };
}
