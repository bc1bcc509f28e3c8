import { returnDelaySeconds } from "../delivery/invocation-time.js";
import { type FaultRecord, keepFault } from "../faults/keep-fault.js";
import { decodeControl, UnreadableMessageError } from "../messages.js";
import type { ControlInbox, FaultTable } from "../ports.js";
import { processReplayTick, type ReplayTickContext } from "./replay-tick.js";
import { processTick } from "./tick.js";
import type { TickContext } from "./tick-context.js";

interface ControlMessageRecord {
  readonly from: "control";
  readonly messageId: string;
  readonly body: string;
  readonly receiptHandle: string;
  /** 1 for the first receive. */
  readonly receiveCount: number;
}

/** One SQS record: a tick from the control queue, or a message that was moved to the fault queue. */
export type ControlRecord =
  | ControlMessageRecord
  | { readonly from: "fault"; readonly messageId: string; readonly fault: FaultRecord };

export interface ControlContext extends TickContext, ReplayTickContext {
  readonly deliveries: ReplayTickContext["deliveries"];
  readonly faults: FaultTable;
  readonly inbox: ControlInbox;
}

/** Works on records one after the other; returns the ids of those that failed on our side, to be received again. */
export async function processControl(
  context: ControlContext,
  records: readonly ControlRecord[],
): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const record of records) {
    try {
      await processRecord(context, record);
    } catch (error) {
      context.log("error", "control message not processed", { messageId: record.messageId, error });
      failed.push(record.messageId);
      if (record.from === "control") await handBack(context, record);
    }
  }
  return failed;
}

/** The queue itself would hide it for minutes, and a probe or a release would stand still for so long. */
async function handBack({ inbox, log }: ControlContext, record: ControlMessageRecord): Promise<void> {
  const { messageId, receiptHandle, receiveCount } = record;
  try {
    await inbox.returnTick(receiptHandle, returnDelaySeconds(receiveCount));
  } catch (error) {
    log("warn", "visibility not changed", { messageId, error });
  }
}

async function processRecord(context: ControlContext, record: ControlRecord): Promise<void> {
  if (record.from === "fault") return keep(context, record.fault);
  try {
    const message = decodeControl(record.body);
    if (message.kind === "replay") await processReplayTick(context, message, record.messageId);
    else await processTick(context, message, record.messageId);
  } catch (error) {
    if (!(error instanceof UnreadableMessageError)) throw error;
    // It would circle: what cannot be read now is kept for a version that can.
    const { messageId, body } = record;
    await keep(context, { queue: "control", messageId, body, cause: `${error.name}: ${error.message}` });
  }
}

async function keep(context: ControlContext, record: FaultRecord): Promise<void> {
  const { faultId, queue, cause, eventId, deliveryId } = await keepFault(context.faults, record, context.now());
  context.metrics.count("Faults");
  context.log("error", "fault", { faultId, queue, cause, eventId, deliveryId });
}
