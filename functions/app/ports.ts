import type {
  Delivery,
  EventMeta,
  Fault,
  Gate,
  Headers,
  Quarantine,
  Release,
  Source,
  Subscription,
  Timeouts,
  Timings,
  TransportError,
} from "../core/model.js";
import type { OutcomeTally } from "../core/outcome-tally.js";
import type { ReplayJob } from "../core/replay-job.js";

/**
 * What the use cases need from the outside, each as small as its user. A rejected promise always means that our own
 * infrastructure failed; a failing destination is a value (see {@link SendResult}).
 */

/** The current time in epoch milliseconds. */
export type Clock = () => number;

/** Uniform in [0, 1). */
export type Random = () => number;

/** Runs something once after some milliseconds, unless the function that it returns is called before. */
export type After = (afterMs: number, run: () => void) => () => void;

/** A source with its secrets opened: what ingress needs to decide about a request. */
export interface OpenSource extends Source {
  /** Of the verification. */
  readonly secretValues: ReadonlyArray<{ readonly id: string; readonly value: string }>;
  /** What Meta was told to send in its handshake; null: the source has none. */
  readonly verifyToken: string | null;
}

/** A subscription with its secrets opened: what an attempt needs. */
export interface OpenSubscription extends Subscription {
  /** Live signing secrets, newest first. */
  readonly secretValues: ReadonlyArray<{ readonly id: string; readonly value: string }>;
  /** Its own headers with their values, secret ones too. */
  readonly headerValues: Headers;
  /** Private key of its client certificate (PEM); null without one. */
  readonly tlsKey: string | null;
}

export interface SourceConfigs {
  /** From a cache of at most 10 s; absence is re-read consistently before null is returned. */
  find(sourceId: string): Promise<OpenSource | null>;
}

export interface SubscriptionConfigs {
  /**
   * Every subscription of a source, tombstones included, from a cache of at most 10 s.
   * `fresh` re-reads consistently (used before "no subscription" is believed).
   */
  ofSource(sourceId: string, options?: { readonly fresh?: boolean }): Promise<readonly Subscription[]>;
  /**
   * The same subscription with its secrets opened; null when it never existed. One that is older than `atLeastVersion`
   * (default: any will do), or is not in the cache, is re-read consistently.
   */
  open(
    sourceId: string,
    subscriptionId: string,
    options?: { readonly atLeastVersion?: number },
  ): Promise<OpenSubscription | null>;
}

export interface Gates {
  /** From a cache of at most 1 s unless `fresh`; null when the subscription never existed. */
  find(subscriptionId: string, options?: { readonly fresh?: boolean }): Promise<Gate | null>;
  /**
   * Makes a gate that was read as `previous` into `next`: what differs is written, everything else left as it is. False:
   * its generation or its tick has moved meanwhile. Counts, slots and the slow note have ways of their own.
   */
  replaceGate(previous: Gate, next: Gate): Promise<boolean>;
  /** Adds what a tally gathered. Null: the gate is of another generation by now. */
  addOutcomes(subscriptionId: string, tally: OutcomeTally, nowMs: number): Promise<Gate | null>;
  /**
   * Reserves the next free slot of a subscription with `maxPerSecond`; epoch milliseconds, never before `nowMs`. Null: it
   * is further away than anybody would wait, and is left to whoever comes then.
   */
  reserveSlot(subscriptionId: string, intervalMs: number, nowMs: number): Promise<number | null>;
  /**
   * Sets status `disabled` with a reason if it is `active`; idempotent. `version`: of the subscription that the reason
   * lies in. Where an operator has moved the gate with a later one, nothing happens.
   */
  disable(subscriptionId: string, reason: string, version: number, nowMs: number): Promise<void>;
  /** Puts the gate on the list of what is due, so that the sweeper releases what is parked there; idempotent. */
  noteParked(subscriptionId: string, nowMs: number): Promise<void>;
  /** Notes that an attempt hangs: its deliveries take the slow lane for some minutes. Seldom more than a memory. */
  noteSlow(subscriptionId: string, nowMs: number): Promise<void>;
  /** True when the subscription is known to be slow: from memory, never by a read. */
  knownSlow(subscriptionId: string): Promise<boolean>;
}

/** One subscription as it is configured, without secrets: what ticks go by. */
export interface SubscriptionSettings {
  /**
   * From a cache of at most 10 s; null when it never existed. One that is older than `atLeastVersion` (default: any will
   * do) is re-read consistently.
   */
  find(
    sourceId: string,
    subscriptionId: string,
    options?: { readonly atLeastVersion?: number },
  ): Promise<Subscription | null>;
}

/** Where an event's content is when it travels or rests: in line, or in the bucket. */
export type ContentRef =
  | { readonly at: "inline"; readonly packed: Buffer }
  | { readonly at: "bucket"; readonly key: string };

/** An event on its way from ingress to the delivery function. */
export interface EventMessage {
  readonly v: 1;
  readonly kind: "event";
  /** As on {@link DeliveryMessage}. */
  readonly as?: string;
  readonly event: EventMeta;
  readonly content: ContentRef;
}

/** One delivery's next attempt: ids only. */
export interface DeliveryMessage {
  readonly v: 1;
  readonly kind: "delivery";
  /**
   * Id of the message that this one continues, when it comes back from the faults or was handed over to the slow lane:
   * the claim that it holds is its own.
   */
  readonly as?: string;
  readonly deliveryId: string;
  readonly eventId: string;
  readonly sourceId: string;
  readonly subscriptionId: string;
  /** Number of the attempt that this message stands for. */
  readonly attempt: number;
  /** When the attempt is due; a message that comes more than 1 s early is sent again for the remainder. */
  readonly dueAtMs: number;
  /** Before the first attempt only: the delivery has an item (it was parked), so that is read before the claim. */
  readonly stored?: true;
  /** With `maxPerSecond`: the slot that was reserved for it, epoch milliseconds. */
  readonly slotAtMs?: number;
  /** Sent by the sweeper for an attempt whose own message is lost: may take over an expired lease as a guard may. */
  readonly repair?: true;
}

/** What the delivery queue carries. */
export type RelayMessage = EventMessage | DeliveryMessage;

/** Drives a gate by one step: a probe of its open circuit, or a page of a release. */
export interface TickMessage {
  readonly v: 1;
  readonly kind: "tick";
  readonly subscriptionId: string;
  /** The gate's tick that this is; null: asks for a chain of ticks, if none is going on. */
  readonly seq: number | null;
  /** The gate's generation that asked for it. */
  readonly generation: number;
}

/** Makes the next page of a bulk replay. */
export interface ReplayTickMessage {
  readonly v: 1;
  readonly kind: "replay";
  readonly replayId: string;
  /** The job's tick that this is. */
  readonly seq: number;
}

/** What the control queue carries. */
export type ControlMessage = TickMessage | ReplayTickMessage;

export interface DeadLetterMessage {
  readonly v: 1;
  readonly kind: "dead_letter";
  readonly deliveryId: string;
  readonly eventId: string;
  readonly sourceId: string;
  readonly subscriptionId: string;
  readonly reason: string;
  readonly attempts: number;
  readonly lastOutcome: { readonly statusCode: number | null; readonly error: string | null } | null;
  readonly deadLetteredAt: string;
}

/** What a message of Amazon SNS makes the relay ask SNS itself; whose URLs they are is checked before. */
export interface SnsService {
  /** A signing certificate (PEM); null: SNS has none there. Rejects when SNS could not be asked. */
  certificate(url: string): Promise<string | null>;
  /** Confirms a subscription. Rejects unless SNS says that it is confirmed. */
  confirm(url: string): Promise<void>;
}

export interface EventQueue {
  /** Resolves once SQS holds the event durably. MessageGroupId: the source. */
  sendEvent(message: EventMessage): Promise<void>;
}

/** The two queues that deliveries travel on. `slow`: those to destinations that hang, with slots of their own. */
export type Lane = "fast" | "slow";

export interface DeliveryQueue {
  /**
   * `delaySeconds`: whole seconds, 0–900. MessageGroupId: the subscription. Rejects when any entry failed. Default lane:
   * fast.
   */
  sendDeliveries(messages: readonly DeliveryMessage[], delaySeconds: number, lane?: Lane): Promise<void>;
  /** Hands a message back to the lane that it came from (default: fast): makes it visible again after `seconds`. */
  returnAfter(receiptHandle: string, seconds: number, lane?: Lane): Promise<void>;
}

export interface ControlQueue {
  /** `delaySeconds`: whole seconds, 0–900. */
  sendTick(message: ControlMessage, delaySeconds: number): Promise<void>;
}

/** The control queue, for whoever receives from it. */
export interface ControlInbox {
  /** Hands a message back: makes it visible again after `seconds`. */
  returnTick(receiptHandle: string, seconds: number): Promise<void>;
}

/** An entry of the list of what is due; `position` is the adapter's own. */
export type DueEntry = (
  | { readonly kind: "delivery"; readonly deliveryId: string }
  | { readonly kind: "gate"; readonly subscriptionId: string }
  | { readonly kind: "replay"; readonly replayId: string }
) & { readonly position: string };

/** A message on its way to the fault queue. */
export interface FaultedMessage {
  readonly queue: Fault["queue"];
  readonly messageId: string;
  readonly cause: string;
  /** The message's text, unchanged. */
  readonly body: string;
}

export interface FaultQueue {
  sendFault(fault: FaultedMessage): Promise<void>;
}

export interface FaultTable {
  /** Keeps a fault and its body, without expiry; of one that waits already only `times` changes. */
  storeFault(fault: Fault, body: string): Promise<void>;
  findFault(faultId: string): Promise<Fault | null>;
  faultBody(faultId: string): Promise<string>;
  /**
   * Notes that it was sent back: it leaves the list, and expires as a delivery does. Does nothing when it has come once
   * more since it was read (its `times` is another): it may have failed again before this was noted.
   */
  markRedriven(fault: Fault, nowMs: number): Promise<void>;
}

/** What waits for the sweeper, over all owners. Eventually consistent: whoever acts on an entry reads its item first. */
export interface DueList {
  /** `overdue`: retries, attempts and gates by the time from which to look; `parked`: by the end of their wait. */
  due(list: "overdue" | "parked", untilMs: number): AsyncIterable<readonly DueEntry[]>;
  /** Moves an entry on, if it still stands where it was read. False: it has been moved or taken off meanwhile. */
  postpone(entry: DueEntry, untilMs: number): Promise<boolean>;
}

/** Sees to it that one sweep runs at a time: the next one does not start before the one before has ended. */
export interface SweepLease {
  /** False: another sweep holds it, and its time is not over. */
  take(nowMs: number, untilMs: number): Promise<boolean>;
  /** Gives back what was taken until `untilMs`. */
  release(untilMs: number): Promise<void>;
}

export interface ParkedEntry {
  readonly deliveryId: string;
  /** Orders by the time at which the event was received. */
  readonly position: string;
}

/** The parked deliveries of a subscription in the order in which their events were received. */
export interface ParkedList {
  /** Eventually consistent: whoever acts on an entry reads its item first. */
  parkedAfter(subscriptionId: string, after: string | null, limit: number): Promise<readonly ParkedEntry[]>;
  /** The same from the first whose event was received then or later. */
  parkedSince(subscriptionId: string, receivedAtMs: number, limit: number): Promise<readonly ParkedEntry[]>;
}

export interface DeadLetterQueue {
  sendDeadLetter(message: DeadLetterMessage): Promise<void>;
}

export interface RetryScheduler {
  /**
   * Creates a one-time schedule that sends `message` to the delivery queue at `atMs` (rounded up to a second) and
   * deletes itself. `name` is its identity: a name that exists already counts as scheduled.
   */
  scheduleDelivery(name: string, message: DeliveryMessage, atMs: number): Promise<void>;
}

export interface ContentStore {
  put(key: string, packed: Buffer): Promise<void>;
  get(key: string): Promise<Buffer>;
}

/** An event at rest. */
export interface StoredEvent {
  readonly event: EventMeta;
  readonly content: ContentRef;
  /** Present on what was kept without being verified: it is delivered to nobody. */
  readonly quarantine?: Quarantine;
  /** The subscriptions that the first pass resolved: later passes use these. */
  readonly subscriptionIds: readonly string[];
  /** When it was erased: its content refers to nothing since then. */
  readonly erasedAtMs?: number;
}

/** A request that could not be verified, on its way into quarantine. */
export interface UnverifiedRequest {
  readonly event: EventMeta;
  readonly content: ContentRef;
  readonly reason: string;
  readonly credentials: Credentials;
}

/** What of an unverified request is kept nowhere in clear, and without which it could not be verified again. */
export interface Credentials {
  /** Those by which it would be verified, and any that hold a secret of the source. */
  readonly headers: Headers;
  /** As they came, where they hold one. */
  readonly suffix?: string;
  readonly query?: string;
}

export interface QuarantineStore {
  /**
   * Counts one more request of a source that could not be verified; resolves to how many there were on this day (UTC).
   * Beyond `most` it may count in memory for a while, and be behind by as many.
   */
  countUnverified(sourceId: string, nowMs: number, most: number): Promise<number>;
  /** Keeps it for some days, on the list of its source, its credentials sealed. */
  keep(request: UnverifiedRequest): Promise<void>;
}

/** The quarantine as an operator works on it. */
export interface Quarantined {
  /** Credentials that a request carried, opened. Consistent read; none when there are none, or when it is gone. */
  openCredentials(eventId: string): Promise<Credentials>;
  /** Notes that it was released, and takes it off the list. False: it was before, or is gone. */
  noteReleased(eventId: string, release: Release): Promise<boolean>;
}

export interface EventTable {
  /** Consistent read; null when absent or expired. */
  findEvent(eventId: string): Promise<StoredEvent | null>;
  /** Writes the event if it is absent or expired, and returns what is there now: an existing event is left as it is. */
  storeEvent(stored: StoredEvent): Promise<StoredEvent>;
  /** Adds a subscription to an event that an earlier pass stored without it; idempotent. */
  addSubscription(eventId: string, subscriptionId: string): Promise<void>;
}

export interface DeliveryTable {
  /** Consistent read; null when absent or expired. */
  findDelivery(deliveryId: string): Promise<Delivery | null>;
  /** Consistent reads of many; absent ones are left out. */
  findDeliveries(deliveryIds: readonly string[]): Promise<readonly Delivery[]>;
  /**
   * Writes `next` if the stored delivery still is what `previous` was (`null`: absent or expired), as one conditional
   * write: same status, same number of attempts started, same claim token. False: it was not, nothing is written.
   */
  replaceDelivery(previous: Delivery | null, next: Delivery): Promise<boolean>;
}

/** Bulk replays. */
export interface ReplayTable {
  /** Consistent read; null when there is none. */
  findReplay(replayId: string): Promise<ReplayJob | null>;
  /**
   * Writes `next` if the stored job still has the revision of `previous`. While it runs it stands on the list of what is
   * due, by its next tick. False: somebody else changed it.
   */
  replaceReplay(previous: ReplayJob, next: ReplayJob): Promise<boolean>;
}

/** Notes on deliveries that they have been replayed. */
export interface ReplayNotes {
  /**
   * Adds a replay's id to `replayedAs` of the delivery that was read as `original`; one that stands there already is
   * left. Nothing else is written. False: the original has changed, or got another replay meanwhile.
   */
  noteReplay(original: Delivery, replayId: string): Promise<boolean>;
}

/** Whom a connection is opened as, and whom it trusts (PEM). Connections are shared within one identity only. */
export interface TlsIdentity {
  readonly certificate?: string;
  readonly key?: string;
  /** Instead of the public authorities. */
  readonly ca?: string;
}

/** One attempt's request, complete: nothing is added but Host, Content-Length and Connection. */
export interface OutboundRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Buffer;
  readonly timeouts: Timeouts;
  readonly tls?: TlsIdentity;
  /** Epoch milliseconds at which the attempt is over, whatever happens. */
  readonly deadlineMs: number;
}

/** What the destination did. Never an exception. */
export interface SendResult {
  /** Present once the status line and headers were read. */
  readonly statusCode: number | null;
  readonly error: TransportError | null;
  readonly errorDetail?: string;
  readonly responseHeaders: Headers;
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly address?: string;
  readonly timings: Timings;
  /** At most the cap of the sender; `previewCut` when the response had more. */
  readonly preview: Buffer;
  readonly previewCut: boolean;
}

export interface Sender {
  send(request: OutboundRequest): Promise<SendResult>;
}
