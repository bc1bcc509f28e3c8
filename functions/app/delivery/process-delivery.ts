import { isFinal } from "../../core/delivery.js";
import { judgeMessage } from "../../core/message-verdict.js";
import type { Delivery } from "../../core/model.js";
import { announceNext, attemptMessage, sendWhenDue } from "./announce.js";
import { attemptDelivery } from "./attempt-delivery.js";
import {
  acknowledged,
  type DeliveryContext,
  type InvocationTime,
  type MessageEnd,
  type Receipt,
} from "./delivery-context.js";
import { endProbeOf } from "./end-delivery.js";
import type { Look, Step } from "./step.js";
import { takeOver } from "./take-over.js";
import type { Turn } from "./turn.js";

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
  let step = stored ? await look(context, turn) : await attemptDelivery(context, turn, null, receipt, time);
  for (let looks = 0; looks < looksAtMost; looks++) {
    if ("ack" in step) return step;
    step = await act(context, turn, step.stored, receipt, time);
  }
  if ("ack" in step) return step;
  throw new Error(`delivery ${turn.origin.deliveryId} kept changing under ${looksAtMost} reads`);
}

/** Every lost race means that somebody else made a step; more than this many in a row is no race. */
const looksAtMost = 5;

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

/** Does what the message may do to the delivery that is stored. */
async function act(
  context: DeliveryContext,
  turn: Turn,
  stored: Delivery | null,
  receipt: Receipt,
  time: InvocationTime,
): Promise<Step> {
  if (stored === null) {
    if (turn.attempt === 1) return attemptDelivery(context, turn, null, receipt, time);
    throw new Error(`delivery ${turn.origin.deliveryId} has no item, but attempt ${turn.attempt} is announced`);
  }
  const message = {
    messageId: receipt.messageId,
    attempt: turn.attempt,
    repair: turn.repair === true,
    ...(turn.bodySha256 === undefined ? {} : { bodySha256: turn.bodySha256 }),
  };
  const verdict = judgeMessage(stored, message, context.now());
  // Whoever ended it may have died before, or was not to know: a tick chose it at the same moment.
  if (isFinal(stored) && turn.attempt > stored.attemptsStarted) await endProbeOf(context, stored);
  switch (verdict.act) {
    case "claim":
      return attemptDelivery(context, turn, stored, receipt, time);
    case "drop":
      if (verdict.because === "duplicate_body") logDuplicate(context, stored);
      if ((turn.receivedAtMs ?? stored.receivedAtMs) !== stored.receivedAtMs) context.metrics.count("Duplicates");
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

function logDuplicate(context: DeliveryContext, { deliveryId, eventId, sourceId }: Delivery): void {
  context.log("warn", "duplicate with another body, not sent", { deliveryId, eventId, sourceId });
}

function assertNever(value: never): never {
  throw new Error(`unexpected ${JSON.stringify(value)}`);
}
