import { deliveryExpiresAt } from "../../core/expiry.js";
import type { Attempt, Claim, Delivery } from "../../core/model.js";
import { itemVersion, requireKnownVersion } from "./item-version.js";
import {
  deliveryKey,
  duePartition,
  listingPartition,
  type OwnerState,
  shardOf,
  statePartition,
  timeKey,
} from "./keys.js";

/**
 * A delivery as a table item. Names are the domain's, so that the table can be read without this code; hashes are
 * binary and ids that the key holds are not repeated, so that a first-try success stays below 1,024 bytes.
 */

/** Attributes that a write sets, or removes where the value is undefined. Others are left as they are. */
export type ItemChanges = Readonly<Record<string, unknown>>;

/** How long after its due time an open delivery is left to its own message before the sweeper looks at it. */
export const sweepGraceMs = 5 * 60_000;

/** All attributes but the key, for a write that replaces `previous` (null: nothing). */
export function deliveryChanges(previous: Delivery | null, next: Delivery, retentionDays: number): ItemChanges {
  return {
    v: itemVersion,
    status: next.status,
    eventId: next.eventId,
    sourceId: next.sourceId,
    subscriptionId: next.subscriptionId,
    attemptsStarted: next.attemptsStarted,
    attempts: next.attempts.length === 0 ? undefined : next.attempts,
    attemptsDropped: next.attemptsDropped === 0 ? undefined : next.attemptsDropped,
    ...claimChanges(next.claim),
    bodySha256: Buffer.from(next.bodySha256, "hex"),
    ...laterAttributes(previous, next),
    receivedAtMs: next.receivedAtMs,
    createdAtMs: next.createdAtMs,
    updatedAtMs: next.updatedAtMs,
    nextAttemptAtMs: next.nextAttemptAtMs ?? undefined,
    nextDelaySeconds: next.nextDelaySeconds ?? undefined,
    deadLetterReason: next.deadLetterReason ?? undefined,
    replayOf: next.replayOf ?? undefined,
    parkedUntilMs: next.parkedUntilMs ?? undefined,
    ...indexChanges(previous, next),
    expiresAt: deliveryExpiresAt(next, retentionDays),
  };
}

/** The keys of the indexes alone. */
export function indexChanges(previous: Delivery | null, next: Delivery): ItemChanges {
  return { ...listingKeys(next), ...openKeys(previous, next) };
}

/** `replayedAs` has a writer of its own: others leave it alone, but for the first write over an item that has expired. */
function laterAttributes(previous: Delivery | null, { erasedAtMs }: Delivery): ItemChanges {
  if (previous === null) return { erasedAtMs, replayedAs: undefined };
  return erasedAtMs === undefined ? {} : { erasedAtMs };
}

function claimChanges(claim: Claim | null): ItemChanges {
  return {
    token: claim?.token,
    guard: claim?.guard,
    claimedAttempt: claim?.attempt,
    leaseUntilMs: claim?.leaseUntilMs,
    claimedAtMs: claim?.startedAtMs,
    claimDelaySeconds: claim?.delaySeconds,
  };
}

/** The list of a subscription's deliveries: the same values in every write, so the index is written once. */
function listingKeys({ deliveryId, subscriptionId, createdAtMs }: Delivery): ItemChanges {
  return { lpk: listingPartition(subscriptionId, shardOf(deliveryId)), lsk: timeKey(createdAtMs, deliveryId) };
}

/** Where an open or dead delivery is found. A first claim is found by its own un-acknowledged message: no entry. */
function openKeys(previous: Delivery | null, next: Delivery): ItemChanges {
  switch (next.status) {
    case "pending":
      // Stored before its message is sent, which may be lost. Nobody asks for those of one subscription.
      return { ...openEntry(next, "DUE", sweepAfter(next.createdAtMs), "open"), spk: undefined, ssk: undefined };
    case "attempting":
      // A retry stays in the list that its last record put it in: one index write less, and overdue all the same.
      if (previous?.status === "retry_scheduled") return {};
      if (previous?.status === "parked") return openEntry(next, "DUE", sweepAfter(next.claim?.leaseUntilMs), "open");
      return noEntry;
    case "retry_scheduled":
      return openEntry(next, "DUE", sweepAfter(next.nextAttemptAtMs), "open");
    case "parked":
      return openEntry(next, "PARKED", next.parkedUntilMs ?? next.updatedAtMs, "parked");
    case "dead_lettered":
      return openEntry(next, "DEAD", next.updatedAtMs, "dead");
    default:
      return noEntry;
  }
}

const noEntry: ItemChanges = { dpk: undefined, dsk: undefined, spk: undefined, ssk: undefined };

function openEntry(delivery: Delivery, list: "DUE" | "PARKED" | "DEAD", atMs: number, state: OwnerState): ItemChanges {
  const { deliveryId, subscriptionId, receivedAtMs } = delivery;
  const shard = shardOf(deliveryId);
  return {
    dpk: duePartition(list, shard),
    dsk: timeKey(atMs, deliveryId),
    spk: statePartition(subscriptionId, state, shard),
    ssk: timeKey(receivedAtMs, deliveryId),
  };
}

function sweepAfter(atMs: number | null | undefined): number {
  return (atMs ?? 0) + sweepGraceMs;
}

/**
 * Reads an item back.
 *
 * @throws {UnknownItemVersionError} for one that only a later version can read.
 */
export function deliveryFromItem(item: Readonly<Record<string, unknown>>): Delivery {
  requireKnownVersion(item);
  const text = (name: string) => item[name] as string;
  const number = (name: string) => (item[name] ?? null) as number | null;
  return {
    deliveryId: text("pk").slice(deliveryKey("").pk.length),
    eventId: text("eventId"),
    sourceId: text("sourceId"),
    subscriptionId: text("subscriptionId"),
    status: item["status"] as Delivery["status"],
    attemptsStarted: number("attemptsStarted") ?? 0,
    attempts: (item["attempts"] ?? []) as readonly Attempt[],
    attemptsDropped: number("attemptsDropped") ?? 0,
    claim: claimFromItem(item),
    bodySha256: Buffer.from(item["bodySha256"] as Uint8Array).toString("hex"),
    receivedAtMs: number("receivedAtMs") ?? 0,
    createdAtMs: number("createdAtMs") ?? 0,
    updatedAtMs: number("updatedAtMs") ?? 0,
    nextAttemptAtMs: number("nextAttemptAtMs"),
    nextDelaySeconds: number("nextDelaySeconds"),
    deadLetterReason: (item["deadLetterReason"] ?? null) as Delivery["deadLetterReason"],
    replayOf: (item["replayOf"] ?? null) as string | null,
    parkedUntilMs: number("parkedUntilMs"),
    ...(item["replayedAs"] === undefined ? {} : { replayedAs: item["replayedAs"] as readonly string[] }),
    ...(item["erasedAtMs"] === undefined ? {} : { erasedAtMs: item["erasedAtMs"] as number }),
  };
}

function claimFromItem(item: Readonly<Record<string, unknown>>): Claim | null {
  if (item["token"] === undefined) return null;
  return {
    token: item["token"] as string,
    guard: item["guard"] as string,
    attempt: item["claimedAttempt"] as number,
    leaseUntilMs: item["leaseUntilMs"] as number,
    startedAtMs: item["claimedAtMs"] as number,
    delaySeconds: item["claimDelaySeconds"] as number,
  };
}
