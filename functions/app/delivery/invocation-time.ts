import type { InvocationTime } from "./delivery-context.js";

/** Time kept back after the last send for recording and announcing; a third of the invocation when that is less. */
const recordMarginMs = 10_000;
/** How long a lease outlives the invocation: no claim is taken over while its function may still be alive. */
const leaseMarginMs = 5_000;

/** Derives all limits of an invocation from the one setting, the function's timeout. */
export function invocationTime(nowMs: number, remainingMs: number): InvocationTime {
  const endMs = nowMs + remainingMs;
  return {
    sendDeadlineMs: endMs - Math.min(recordMarginMs, Math.floor(remainingMs / 3)),
    leaseUntilMs: endMs + leaseMarginMs,
    leaseMs: remainingMs + leaseMarginMs,
  };
}

/** Less than this leaves a healthy destination no time to answer; half of what recording gets when that is less. */
const leastSendMs = 5_000;

/** False when what came before the claim took so long that an attempt would only be cut off: it is not begun. */
export function leavesTimeToSend({ sendDeadlineMs, leaseUntilMs }: InvocationTime, nowMs: number): boolean {
  const toRecordMs = leaseUntilMs - leaseMarginMs - sendDeadlineMs;
  return sendDeadlineMs - nowMs >= Math.min(leastSendMs, toRecordMs / 2);
}

/** Visibility of a message that failed on our side: 5·2^receives seconds, at most 300. */
export function returnDelaySeconds(receiveCount: number): number {
  return Math.min(300, 5 * 2 ** Math.min(receiveCount, 10));
}
