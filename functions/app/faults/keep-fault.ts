import { createHash } from "node:crypto";
import type { Fault } from "../../core/model.js";
import { decodeMessage, firstReceived } from "../messages.js";
import type { FaultedMessage, FaultTable } from "../ports.js";

/** A message as it lies on the fault queue; what SQS moved there has no cause. */
export type FaultRecord = Omit<FaultedMessage, "cause"> & { readonly cause: string | null };

/** Says what is known of a message that SQS moved by itself. */
const unexplained = "Received ten times without an end: the function crashed, ran out of time, or could not reach AWS.";

/**
 * Moves a message from the fault queue into the table, where it stays until somebody sends it back: the queue would
 * forget it after 14 days. Repeating it loses nothing, and makes no second fault.
 */
export async function keepFault(faults: FaultTable, record: FaultRecord, nowMs: number): Promise<Fault> {
  // What was sent back, and failed again, has a new id of its own; it is the same fault all the same.
  const { messageId, body } = firstReceived(record);
  const fault: Fault = {
    faultId: faultIdOf(messageId),
    queue: record.queue,
    cause: record.cause ?? unexplained,
    messageId,
    faultedAtMs: nowMs,
    times: 1,
    redrivenAtMs: null,
    ...namesOf(body),
  };
  await faults.storeFault(fault, body);
  return fault;
}

/** One message is one fault, however often it is moved. */
export function faultIdOf(messageId: string): string {
  return `flt_${createHash("sha256").update(messageId).digest("hex").slice(0, 26)}`;
}

function namesOf(body: string): Pick<Fault, "eventId" | "deliveryId" | "subscriptionId"> {
  try {
    const message = decodeMessage(body);
    if (message.kind === "event") return { eventId: message.event.eventId, deliveryId: null, subscriptionId: null };
    const { eventId, deliveryId, subscriptionId } = message;
    return { eventId, deliveryId, subscriptionId };
  } catch {
    // That it cannot be read is often why it is here.
    return { eventId: null, deliveryId: null, subscriptionId: null };
  }
}
