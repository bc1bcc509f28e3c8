import type { SQSRecord } from "aws-lambda";
import type { ControlRecord } from "../app/control/process-control.js";

/** Reads an SQS record: a tick, or a faulted message, which our own code sent with its cause or SQS moved without. */
export function controlRecord(record: SQSRecord, faultQueueArn: string, controlQueueArn: string): ControlRecord {
  const { messageId, body, receiptHandle, messageAttributes } = record;
  if (record.eventSourceARN !== faultQueueArn) {
    const receiveCount = Number(record.attributes.ApproximateReceiveCount) || 1;
    return { from: "control", messageId, body, receiptHandle, receiveCount };
  }
  const attribute = (name: string) => messageAttributes[name]?.stringValue ?? null;
  // Set by SQS on what it moves.
  const movedFrom = record.attributes.DeadLetterQueueSourceArn;
  const queue = attribute("queue") === "control" || movedFrom === controlQueueArn ? "control" : "delivery";
  const fault = { queue, messageId: attribute("messageId") ?? messageId, cause: attribute("cause"), body } as const;
  return { from: "fault", messageId, fault };
}
