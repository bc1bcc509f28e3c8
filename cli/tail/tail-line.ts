import type { AttemptView, DeliveryView } from "../../functions/app/admin/view-schemas.js";

/** What a line can say of a delivery: what is under way has come to nothing yet. */
export const lineStatuses = ["delivered", "retry_scheduled", "parked", "dead_lettered"] as const;

type LineStatus = (typeof lineStatuses)[number];

/** One thing that happened: what an attempt came to, or what became of a delivery without one. */
export interface TailLine {
  /** When: the end of the attempt, or the change. ISO 8601. */
  readonly at: string;
  readonly deliveryId: string;
  readonly eventId: string;
  readonly sourceId: string;
  readonly subscriptionId: string;
  readonly status: LineStatus;
  /** Its number; null: nothing was attempted. */
  readonly attempt: number | null;
  readonly outcome: AttemptView["outcome"] | null;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly durationMs: number | null;
  readonly nextAttemptAt: string | null;
  readonly deadLetterReason: DeliveryView["deadLetterReason"];
  readonly replayOf: string | null;
}

/** What has been told of a delivery. */
export interface Told {
  readonly status: DeliveryView["status"];
  /** Number of the last attempt. */
  readonly attempt: number;
}

const nothing: Told = { status: "pending", attempt: 0 };

/** As if all of it had been told. */
export const allOf = (delivery: DeliveryView): Told => ({
  status: delivery.status,
  attempt: delivery.attempts.at(-1)?.number ?? 0,
});

/** What happened to a delivery since it was told of, in order. */
export function linesSince(delivery: DeliveryView, told: Told = nothing): TailLine[] {
  const attempts = delivery.attempts.filter(({ number }) => number > told.attempt);
  const last = attempts.at(-1);
  const ended = last !== undefined && endedBy(delivery, last);
  const lines = attempts.map((attempt) => attemptLine(delivery, attempt, ended && attempt === last));
  const changed = delivery.status !== told.status || attempts.length > 0;
  return !ended && changed && isSettled(delivery.status) ? [...lines, changeLine(delivery, delivery.status)] : lines;
}

/** What a delivery may become without an attempt: one that is to be retried had one. */
const isSettled = (status: DeliveryView["status"]): status is "parked" | "dead_lettered" | "delivered" =>
  status === "parked" || status === "dead_lettered" || status === "delivered";

/** Whether the delivery is what it is because of the attempt. */
function endedBy({ status, deadLetterReason }: DeliveryView, { outcome }: AttemptView): boolean {
  if (status === "dead_lettered")
    return deadLetterReason !== "cancelled" && deadLetterReason !== "subscription_deleted";
  if (status === "parked") return afterAttempt(outcome) === "parked";
  return status === "delivered";
}

/** What follows an attempt that did not end its delivery. Refused for good, and yet open: its destination is gone. */
const afterAttempt = (outcome: AttemptView["outcome"]): LineStatus =>
  outcome === "permanent" ? "parked" : "retry_scheduled";

function attemptLine(delivery: DeliveryView, attempt: AttemptView, ended: boolean): TailLine {
  const { number, startedAt, outcome, statusCode, error, durationMs } = attempt;
  const isLatest = number === delivery.attempts.at(-1)?.number;
  return {
    at: new Date(Date.parse(startedAt) + (durationMs ?? 0)).toISOString(),
    ...identity(delivery),
    status: ended ? (delivery.status as LineStatus) : afterAttempt(outcome),
    attempt: number,
    outcome,
    statusCode,
    error,
    durationMs,
    nextAttemptAt: isLatest ? delivery.nextAttemptAt : null,
    deadLetterReason: ended ? delivery.deadLetterReason : null,
    replayOf: delivery.replayOf,
  };
}

function changeLine(delivery: DeliveryView, status: LineStatus): TailLine {
  return {
    at: delivery.updatedAt,
    ...identity(delivery),
    status,
    attempt: null,
    outcome: null,
    statusCode: null,
    error: null,
    durationMs: null,
    nextAttemptAt: null,
    deadLetterReason: delivery.deadLetterReason,
    replayOf: delivery.replayOf,
  };
}

const identity = ({ deliveryId, eventId, sourceId, subscriptionId }: DeliveryView) => ({
  deliveryId,
  eventId,
  sourceId,
  subscriptionId,
});
