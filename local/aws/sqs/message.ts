import type { DueEntry } from "../due-heap.js";

/** A message attribute as SQS carries it; a binary value is base64, as in JSON. */
export interface MessageAttribute {
  readonly DataType: string;
  readonly StringValue?: string;
  readonly BinaryValue?: string;
}
export type MessageAttributes = Readonly<Record<string, MessageAttribute>>;

/** What never changes once a message was sent; stays on disk until somebody receives it. */
export interface MessageContent {
  readonly body: string;
  readonly attributes: MessageAttributes;
  readonly traceHeader: string | null;
}

/** What changes with receives; small, in memory and on disk. */
export interface MessageState {
  /** Unique over all queues, and the order of sending. */
  readonly sequence: number;
  readonly messageId: string;
  /** Kept when the message moves to a dead-letter queue: its retention goes on from here. */
  readonly sentAtMs: number;
  readonly groupId: string | null;
  /** The queue that a redrive took the message from. */
  readonly sourceArn: string | null;
  /** End of the delay that it was sent with. */
  readonly delayedUntilMs: number;
  receiveCount: number;
  firstReceivedAtMs: number | null;
}

/** A message that a queue holds. */
export interface QueuedMessage extends MessageState {
  place: "delayed" | "visible" | "in_flight" | "gone";
  /** Becomes visible then (delayed or in flight). */
  due: DueEntry<QueuedMessage> | null;
  expiry: DueEntry<QueuedMessage> | null;
}

/** A received message, complete; what a caller did not ask for is left out by the protocol. */
export interface ReceivedMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly md5OfBody: string;
  /** System attributes by their AWS names (`ApproximateReceiveCount`, `SentTimestamp`, …). */
  readonly attributes: Readonly<Record<string, string>>;
  readonly messageAttributes: MessageAttributes;
}
