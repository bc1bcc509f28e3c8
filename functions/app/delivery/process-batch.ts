import { maxReceives } from "../../shared/queue-limits.js";
import { decodeMessage, UnreadableMessageError } from "../messages.js";
import {
  acknowledged,
  type DeliveryContext,
  type InvocationTime,
  type MessageEnd,
  type Receipt,
} from "./delivery-context.js";
import { returnDelaySeconds } from "./invocation-time.js";
import { processDelivery } from "./process-delivery.js";
import { processEvent } from "./process-event.js";
import { type StoredEventLoaders, storedEventLoaders } from "./stored-content.js";
import { turnOf } from "./turn.js";

/** One SQS record. */
export interface ReceivedRecord extends Receipt {
  readonly body: string;
}

/**
 * Works on all records at the same time and returns the ids of those that must not be acknowledged, each with its
 * visibility set to when it makes sense to look again. Never rejects: one record's trouble is not another's.
 */
export async function processBatch(
  context: DeliveryContext,
  records: readonly ReceivedRecord[],
  time: InvocationTime,
): Promise<readonly string[]> {
  const loadStored = storedEventLoaders(context);
  const ends = await Promise.all(records.map((record) => processRecord(context, record, time, loadStored)));
  return records.filter((_record, index) => ends[index]?.ack === false).map((record) => record.messageId);
}

async function processRecord(
  context: DeliveryContext,
  record: ReceivedRecord,
  time: InvocationTime,
  loadStored: StoredEventLoaders,
): Promise<MessageEnd> {
  const end = await endOf(context, record, time, loadStored);
  if (!end.ack) await handBack(context, record, end.returnAfterSeconds);
  return end;
}

/** An exception means that our own infrastructure failed: the message comes back, and in the end it is a fault. */
async function endOf(
  context: DeliveryContext,
  record: ReceivedRecord,
  time: InvocationTime,
  loadStored: StoredEventLoaders,
): Promise<MessageEnd> {
  let { messageId } = record;
  try {
    const message = decodeMessage(record.body);
    messageId = message.as ?? messageId;
    const receipt = message.as === undefined ? record : { ...record, messageId };
    if (message.kind === "event") return await processEvent(context, message, receipt, time);
    const turn = turnOf(message, loadStored(message.eventId));
    return await processDelivery(context, turn, receipt, time);
  } catch (error) {
    const { receiveCount } = record;
    context.log("error", "message not processed", { messageId, receiveCount, error });
    // What cannot be read today cannot be read in a minute; what failed ten times gets no eleventh.
    if (error instanceof UnreadableMessageError || receiveCount >= maxReceives) {
      return asFault(context, { ...record, messageId }, error);
    }
    return { ack: false, returnAfterSeconds: returnDelaySeconds(receiveCount) };
  }
}

/** Moves the message to the fault queue, with its cause. If that fails, SQS does it, without. */
async function asFault(context: DeliveryContext, record: ReceivedRecord, error: unknown): Promise<MessageEnd> {
  const { messageId, receiveCount, body } = record;
  const cause = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  try {
    await context.faults.sendFault({ queue: "delivery", messageId, cause, body });
    return acknowledged;
  } catch (sendError) {
    context.log("error", "fault not kept", { messageId, error: sendError });
    return { ack: false, returnAfterSeconds: returnDelaySeconds(receiveCount) };
  }
}

async function handBack(context: DeliveryContext, record: ReceivedRecord, seconds: number): Promise<void> {
  try {
    await context.queue.returnAfter(record.receiptHandle, seconds, record.lane);
  } catch (error) {
    // The message comes back all the same, when the queue's own visibility ends.
    context.log("warn", "visibility not changed", { messageId: record.messageId, error });
  }
}
