import type { Metrics } from "../metrics.js";
import type {
  After,
  Clock,
  ContentStore,
  ControlQueue,
  DeadLetterQueue,
  DeliveryQueue,
  DeliveryTable,
  EventTable,
  FaultQueue,
  Gates,
  Lane,
  Random,
  RetryScheduler,
  Sender,
  SubscriptionConfigs,
} from "../ports.js";
import type { OutcomeMemory } from "./outcome-memory.js";

/** One structured line; the fields never hold a secret. */
export type Log = (
  level: "debug" | "info" | "warn" | "error",
  message: string,
  fields: Record<string, unknown>,
) => void;

export interface DeliverySettings {
  /** Days that terminal deliveries are kept. */
  readonly retentionDays: number;
  /** Longest delay, in seconds, that is left to SQS (its own limit is 900); above it a schedule is created. */
  readonly maxQueueDelaySeconds: number;
}

/** Everything that the delivery use cases need from outside. */
export interface DeliveryContext {
  readonly subscriptions: SubscriptionConfigs;
  readonly gates: Gates;
  readonly events: EventTable;
  readonly deliveries: DeliveryTable;
  readonly contents: ContentStore;
  readonly queue: DeliveryQueue;
  readonly control: ControlQueue;
  readonly deadLetters: DeadLetterQueue;
  readonly faults: FaultQueue;
  readonly scheduler: RetryScheduler;
  readonly sender: Sender;
  /** What this environment has seen of the subscriptions' attempts. */
  readonly outcomes: OutcomeMemory;
  readonly now: Clock;
  readonly after: After;
  readonly random: Random;
  /** A fresh claim token, unguessable enough never to collide. */
  readonly newToken: () => string;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly settings: DeliverySettings;
}

/** What an SQS record says about itself, besides its body. */
export interface Receipt {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly receiveCount: number;
  /** When it was received for the first time, epoch milliseconds. Default: long ago. */
  readonly firstReceivedAtMs?: number;
  /** Which queue it came from. Default: fast. */
  readonly lane?: Lane;
}

/** The time that one invocation has, as the use cases see it. */
export interface InvocationTime {
  /** Every send is over by then, whatever the destination does: there is time left to record. */
  readonly sendDeadlineMs: number;
  /** Claims made in this invocation end here: after it nothing of this invocation can be running. */
  readonly leaseUntilMs: number;
  /** From the start of an invocation to the end of its claims: after it nothing of an earlier one can be running. */
  readonly leaseMs: number;
}

/** How a message ends: acknowledged, or handed back and visible again after some seconds. */
export type MessageEnd = { readonly ack: true } | { readonly ack: false; readonly returnAfterSeconds: number };

export const acknowledged: MessageEnd = { ack: true };
