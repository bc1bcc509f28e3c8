import type { DeliveryStatus, Outcome } from "../../functions/core/model.js";

/**
 * What a delivery may do, small enough to be believed by reading it: the statement that the relay is compared with
 * after every step. Written from the decision records, not from the code.
 */

/** The policy of the delivery under test: three attempts, 10 and 20 seconds apart. */
export const maxAttempts = 3;
export const delaysSeconds = [10, 20] as const;
export const retentionDays = 30;
const openDays = 23;
const dayMs = 86_400_000;

/** A delivery as far as anybody can tell it from outside. */
export interface ModelDelivery {
  readonly status: DeliveryStatus;
  readonly started: number;
  /** Of the recorded attempts, in order. */
  readonly outcomes: readonly Outcome[];
  readonly dueAtMs: number | null;
  /** Message that made the last claim; null before the first one. */
  readonly guard: string | null;
  readonly claimedAtMs: number;
  readonly leaseUntilMs: number;
  /** Tells claims apart: a request that belongs to an older one may change nothing. */
  readonly claim: number;
}

/** A message as it lies in the queue. */
export interface ModelMessage {
  readonly id: string;
  /** Under which it was first received, when it comes back from the faults. */
  readonly as?: string;
  readonly attempt: number;
  /** It says that the delivery has an item, or stands for a later attempt: that is read before anything is written. */
  readonly looksFirst: boolean;
  readonly repair: boolean;
}

/** A request that waits for the destination's answer. */
export interface ModelRequest {
  readonly attempt: number;
  readonly claim: number;
}

export interface Model {
  nowMs: number;
  readonly receivedAtMs: number;
  delivery: ModelDelivery | null;
  gate: "active" | "paused" | "disabled";
  messages: ModelMessage[];
  requests: ModelRequest[];
  claims: number;
  /** Messages for the dead-letter queue so far. */
  deadLetters: number;
}

/** What a message does: at most one write, and then what follows it. */
export interface Effect {
  /** The state that is written; undefined: none. */
  readonly write?: ModelDelivery;
  readonly follows: "request" | "successor" | "dead_letter" | "nothing";
  /** False: the message stays in the queue. */
  readonly acknowledged: boolean;
}

const ignored: Effect = { follows: "nothing", acknowledged: true };
const returned: Effect = { follows: "nothing", acknowledged: false };

/** The effect of a message that is received now, with `leaseMs` until the end of a claim that it would make. */
export function effectOf(model: Model, message: ModelMessage, leaseMs: number): Effect {
  const { delivery, nowMs } = model;
  const messageId = message.as ?? message.id;
  if (delivery === null) return message.attempt === 1 ? begin(model, messageId, leaseMs) : returned;
  if (message.attempt > delivery.started) {
    if (isFinal(delivery)) return delivery.guard === messageId ? announce(delivery) : ignored;
    // Nobody announces an attempt before the one before it is over.
    if (message.attempt > delivery.started + 1 || delivery.status === "attempting") return returned;
    if ((delivery.dueAtMs ?? nowMs) > nowMs + 1000) return { follows: "successor", acknowledged: true };
    return begin(model, messageId, leaseMs);
  }
  if (message.attempt < delivery.started) return ignored;
  const leaseIsOver = delivery.leaseUntilMs <= nowMs;
  if (delivery.guard === messageId) {
    if (delivery.status !== "attempting") return delivery.status === "delivered" ? ignored : announce(delivery);
    return leaseIsOver ? takeOver(model, delivery) : returned;
  }
  const lost = message.repair && delivery.status === "attempting" && leaseIsOver;
  return lost ? takeOver(model, delivery) : ignored;
}

export const isFinal = ({ status }: ModelDelivery): boolean => status === "delivered" || status === "dead_lettered";

/** What the record of an answer makes of the delivery. */
export function answered(model: Model, delivery: ModelDelivery, statusCode: number): ModelDelivery {
  if (statusCode < 300) return recorded(delivery, "delivered", "delivered");
  const outcome = statusCode >= 500 ? "retryable" : "permanent";
  if (statusCode === 410 && delivery.started < maxAttempts) return recorded(delivery, outcome, "parked");
  return outcome === "permanent"
    ? recorded(delivery, outcome, "dead_lettered")
    : failed(model, delivery, outcome, model.nowMs);
}

/** What a state needs next. */
export function announce({ status }: ModelDelivery): Effect {
  if (status === "retry_scheduled") return { follows: "successor", acknowledged: true };
  return { follows: status === "dead_lettered" ? "dead_letter" : "nothing", acknowledged: true };
}

function begin(model: Model, messageId: string, leaseMs: number): Effect {
  const { nowMs, gate } = model;
  const before = model.delivery ?? unborn;
  const held = before.started > 0 || before.status === "parked";
  if (held && nowMs > openLimitMs(model)) {
    const write = { ...before, status: "dead_lettered" as const, guard: messageId, dueAtMs: null };
    return {
      write: { ...write, claim: model.claims + 1, leaseUntilMs: nowMs },
      follows: "dead_letter",
      acknowledged: true,
    };
  }
  if (gate !== "active") {
    return before.status === "parked" ? ignored : { ...ignored, write: { ...before, status: "parked" } };
  }
  const write: ModelDelivery = {
    ...before,
    status: "attempting",
    started: before.started + 1,
    dueAtMs: null,
    guard: messageId,
    claimedAtMs: nowMs,
    leaseUntilMs: nowMs + leaseMs,
    claim: model.claims + 1,
  };
  return { write, follows: "request", acknowledged: true };
}

function takeOver(model: Model, delivery: ModelDelivery): Effect {
  const write = failed(model, delivery, "unknown", delivery.claimedAtMs);
  return { ...announce(write), write };
}

/** The next attempt is due a delay after the one before; at once, if that is past. */
function failed(model: Model, delivery: ModelDelivery, outcome: Outcome, fromMs: number): ModelDelivery {
  if (delivery.started >= maxAttempts) return recorded(delivery, outcome, "dead_lettered");
  const delayMs = (delaysSeconds[delivery.started - 1] ?? 0) * 1000;
  if (fromMs + delayMs > openLimitMs(model)) return recorded(delivery, outcome, "dead_lettered");
  return { ...recorded(delivery, outcome, "retry_scheduled"), dueAtMs: Math.max(fromMs + delayMs, model.nowMs) };
}

function recorded(delivery: ModelDelivery, outcome: Outcome, status: DeliveryStatus): ModelDelivery {
  return { ...delivery, status, outcomes: [...delivery.outcomes, outcome] };
}

const openLimitMs = ({ receivedAtMs }: Model): number => receivedAtMs + openDays * dayMs;

const unborn: ModelDelivery = {
  status: "pending",
  started: 0,
  outcomes: [],
  dueAtMs: null,
  guard: null,
  claimedAtMs: 0,
  leaseUntilMs: 0,
  claim: 0,
};
