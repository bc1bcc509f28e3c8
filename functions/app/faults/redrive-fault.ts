import type { Fault } from "../../core/model.js";
import { continueAs } from "../messages.js";
import type { FaultTable } from "../ports.js";

export interface RedriveContext {
  readonly faults: FaultTable;
  /** Puts a text on one of our own queues. */
  readonly sendBack: (queue: Fault["queue"], body: string) => Promise<void>;
}

/**
 * Sends a fault's message back to its queue under the identity that it had: an attempt that it claimed is still its
 * own to repair. Sent first and noted then; done twice, the second message is a copy. One that has failed again before
 * it is noted stays on the list.
 */
export async function redriveFault(context: RedriveContext, fault: Fault, nowMs: number): Promise<Fault> {
  const body = await context.faults.faultBody(fault.faultId);
  await context.sendBack(fault.queue, continueAs(body, fault.messageId));
  await context.faults.markRedriven(fault, nowMs);
  return { ...fault, redrivenAtMs: nowMs };
}
