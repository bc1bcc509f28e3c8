import type { EventMeta, Fault, Gate, Source } from "../../core/model.js";
import type { ReplayJob } from "../../core/replay-job.js";
import type { OpenSource, ReplayTable, StoredEvent } from "../ports.js";
import type { SubscriptionRecord } from "./definitions.js";

/** What the admin use cases need from the outside. Every write is one conditional write of one item at a time. */

/** Secret id → value, opened. */
export type SecretValues = Readonly<Record<string, string>>;

/** One page of a list; `after` is the key to go on from, null at the end. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly after: string | null;
}

export interface PageRequest {
  readonly after: string | null;
  readonly limit: number;
}

export interface SourceStore {
  /** Consistent read. */
  findSource(sourceId: string): Promise<Source | null>;
  /** The same with its secrets opened. */
  openSource(sourceId: string): Promise<OpenSource | null>;
  /** By id, ascending; may be short of a source created within the last second. */
  listSources(page: PageRequest): Promise<Page<Source>>;
  /** False: the id is taken. */
  createSource(source: Source, secrets: SecretValues): Promise<boolean>;
  /** Replaces what has the version before `source.version`; `secrets: null` keeps what is sealed. False: it changed. */
  replaceSource(source: Source, secrets: SecretValues | null): Promise<boolean>;
  /** False: its version is another by now. */
  deleteSource(source: Source): Promise<boolean>;
  /** Consistent read. */
  hasSubscriptions(sourceId: string): Promise<boolean>;
}

/** A live subscription and its gate. */
export interface GatedSubscription {
  readonly record: SubscriptionRecord;
  readonly gate: Gate;
}

export interface SubscriptionStore {
  /** Consistent read; null when unknown or deleted. */
  findSubscription(subscriptionId: string): Promise<GatedSubscription | null>;
  /** The live one that has this name in the source; consistent read. */
  findNamed(sourceId: string, name: string): Promise<GatedSubscription | null>;
  /** Secret values of a subscription, opened. */
  openSecrets(record: SubscriptionRecord): Promise<SecretValues>;
  /** Live ones of one source by id, ascending, which is by time of creation. */
  listSubscriptions(sourceId: string, page: PageRequest): Promise<Page<GatedSubscription>>;
  createSubscription(
    record: SubscriptionRecord,
    secrets: SecretValues,
  ): Promise<"created" | "name_taken" | "source_missing">;
  /** Replaces `previous`; `secrets: null` keeps what is sealed. */
  replaceSubscription(
    previous: SubscriptionRecord,
    next: SubscriptionRecord,
    secrets: SecretValues | null,
  ): Promise<"replaced" | "changed" | "name_taken">;
  /** Makes the gate that was read as `previous` into `next`. False: it moved meanwhile. */
  moveGate(previous: Gate, next: Gate): Promise<boolean>;
  /** Leaves a tombstone without URL and secrets. False: it changed. */
  deleteSubscription(record: SubscriptionRecord, nowMs: number): Promise<boolean>;
  /** Ids of a source's subscriptions, deleted ones that still have deliveries included; at most `limit`. */
  subscriptionIds(sourceId: string, limit: number): Promise<readonly string[]>;
}

/** A list of deliveries in the table's indexes. */
export type DeliveryList =
  | { readonly kind: "all"; readonly subscriptionIds: readonly string[] }
  | { readonly kind: "state"; readonly state: UnusualState; readonly subscriptionIds: readonly string[] }
  | { readonly kind: "due"; readonly state: UnusualState };

/** Delivery states that have an index of their own. */
export type UnusualState = "retry_scheduled" | "parked" | "dead_lettered";

/** An entry of a list: the delivery and where it stands, to go on after it. */
export interface ListedDelivery {
  readonly deliveryId: string;
  readonly position: string;
}

/** Where in a list to begin, and what need not be looked at. */
export interface ListRange {
  /** Position to go on after; null: from the start. */
  readonly after: string | null;
  /** Bounds of the creation time, as far as the list's order lets them narrow the search; the caller checks them. */
  readonly sinceMs: number | null;
  readonly untilMs: number | null;
  /** How many entries the caller expects to take: the size of the reads depends on it. */
  readonly expected: number;
  /** Deliveries only: the other way round. */
  readonly oldestFirst?: true;
}

export interface DeliveryIndex {
  /**
   * Entries of a list in its order: newest first, but what is to be retried over all subscriptions soonest first. Read
   * as they are taken.
   */
  entries(list: DeliveryList, range: ListRange): AsyncIterable<ListedDelivery>;
}

/** Which events a list holds: those of these sources in one of these states, and those with these deliveries. */
export interface EventSelection {
  readonly sourceIds: readonly string[];
  readonly states: ReadonlyArray<"undelivered" | "quarantined">;
  readonly subscriptionIds: readonly string[];
}

/** An entry of a list of events: the event itself, or one of its deliveries. */
export type ListedEvent =
  | { readonly kind: "undelivered" | "quarantined"; readonly eventId: string; readonly position: string }
  | { readonly kind: "delivered"; readonly deliveryId: string; readonly position: string };

export interface EventList {
  /** Newest first; an event comes once for each of its deliveries. Read as they are taken. */
  entries(selection: EventSelection, range: ListRange): AsyncIterable<ListedEvent>;
  /** Consistent reads of many; absent ones are left out. */
  findEvents(eventIds: readonly string[]): Promise<readonly StoredEvent[]>;
}

/** An entry of the list of faults that wait. */
export interface ListedFault {
  readonly faultId: string;
  readonly position: string;
}

export interface FaultList {
  /** Those that wait, newest first. Read as they are taken; eventually consistent. */
  entries(range: ListRange): AsyncIterable<ListedFault>;
  /** Consistent reads of many; absent ones are left out. */
  findFaults(faultIds: readonly string[]): Promise<readonly Fault[]>;
  count(): Promise<BoundedCount>;
}

/** `atLeast`: counting ended at its bound, there may be more. */
export interface BoundedCount {
  readonly count: number;
  readonly atLeast: boolean;
}

export interface DeliveryCounts {
  /**
   * Deliveries in a state, over all subscriptions; those that are being attempted again count as `retry_scheduled`.
   * `sinceMs`: only those that came into it since then.
   */
  count(state: UnusualState, sinceMs?: number): Promise<BoundedCount>;
}

export type QueueName = "delivery" | "slowLane" | "control" | "deadLetter" | "fault";

/** Messages of a queue: ready, waiting for their time, taken. */
export interface QueueDepth {
  readonly visible: number;
  readonly delayed: number;
  readonly inFlight: number;
}

export interface QueueDepths {
  depths(): Promise<Readonly<Record<QueueName, QueueDepth>>>;
}

/** Bulk replays, as an operator sees them. */
export interface ReplayStore extends ReplayTable {
  createReplay(job: ReplayJob): Promise<void>;
  /** Newest first; may be short of one that was created within the last second. */
  listReplays(page: PageRequest): Promise<Page<ReplayJob>>;
}

/** Erases what an event's item holds of what was sent: content, path suffix, query, the body's hash, credentials. */
export interface EventErasure {
  /** The item stays, with the time. Does nothing when there is none. May be repeated. */
  eraseEvent(eventId: string, erasedAtMs: number): Promise<void>;
}

/** Erases what the bucket holds of an event. */
export interface ContentErasure {
  /** May be repeated. */
  eraseContents(eventId: string): Promise<void>;
}

/** What a write through the admin API was answered with; `code` of its problem, null when it was done. */
export interface AuditOutcome {
  readonly status: number;
  readonly code: string | null;
}

/** One write through the admin API. Names and ids only, never a value that may be secret. */
export interface AuditEntry {
  readonly auditId: string;
  readonly atMs: number;
  /** ARN of whoever signed the request; `local` where nobody has to. */
  readonly by: string;
  /** E.g. `subscription.change`. */
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  /** Ids and names that it is about, those of what it created too. */
  readonly subjects: readonly string[];
  /** Names of the fields that the request gave. */
  readonly fields: readonly string[];
  /** What the caller said it is for. */
  readonly reason: string | null;
  /** Null: only its beginning is known. */
  readonly outcome: AuditOutcome | null;
}

/** An entry and where it stands, to go on after it. */
export interface ListedAudit extends AuditEntry {
  readonly position: string;
}

export interface AuditTrail {
  /** Durable once it resolves. */
  begin(entry: AuditEntry): Promise<void>;
  /** Adds outcome and subjects to an entry that has begun. */
  end(entry: AuditEntry): Promise<void>;
  /** Newest first, within the bounds; consistent. Read as they are taken. */
  entries(range: ListRange): AsyncIterable<ListedAudit>;
}

/** Makes a body that is too large for an answer available for download. */
export interface BodyDownloads {
  /** A URL that gives these bytes as an attachment for a few minutes. */
  offer(event: Pick<EventMeta, "eventId" | "bodySha256">, body: Buffer): Promise<string>;
}
