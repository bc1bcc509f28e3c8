import { replayIdOf } from "./ids.js";
import type { DeadLetterReason, Delivery, TransportError } from "./model.js";
import { type NotReplayable, whyNotReplayable } from "./replay.js";
import type { NextTick } from "./ticks.js";

/** A bulk replay: which deliveries it is about, how far it has come, and what a tick may do to it. */

/** `running` is driven by ticks; `paused` waits for an operator; the others are its ends. */
export type ReplayState = "running" | "paused" | "cancelled" | "done" | "failed";

/** What a bulk replay takes: final deliveries. Null: any. */
export interface ReplayFilter {
  readonly status: "dead_lettered" | "delivered";
  readonly reason: DeadLetterReason | null;
  readonly subscriptionId: string | null;
  readonly sourceId: string | null;
  /** Bounds of the delivery's creation: from `sinceMs` on, before `untilMs`. */
  readonly sinceMs: number | null;
  readonly untilMs: number | null;
  /** Of the last attempt. */
  readonly statusCode: number | null;
  readonly error: TransportError | null;
}

/** Why a delivery that the filter takes is not replayed. */
export type ReplaySkip = NotReplayable | "already_replayed" | "cancelled" | "subscription_deleted" | "target_deleted";

export type SkipCounts = { readonly [Reason in ReplaySkip]?: number };

/** What was, or would be, done to the deliveries of a scan. */
export interface ReplayCounts {
  /** Entries of the list that were looked at. */
  readonly scanned: number;
  readonly replayed: number;
  readonly skipped: SkipCounts;
}

export interface ReplayJob {
  readonly replayId: string;
  /** Counts every write. */
  readonly revision: number;
  readonly state: ReplayState;
  /** Why it failed; null otherwise. */
  readonly failure: "target_deleted" | null;
  readonly filter: ReplayFilter;
  /** Subscriptions whose lists are read; null: the list of all dead letters. */
  readonly searched: readonly string[] | null;
  /** Where all replays go; null: each to its original's subscription. */
  readonly target: { readonly sourceId: string; readonly subscriptionId: string } | null;
  readonly includeReplayed: boolean;
  /** Replays that one tick makes at the most; ticks are a second apart. */
  readonly perSecond: number;
  /** ARN of whoever asked for it; `local` where nobody has to say. */
  readonly by: string;
  readonly reason: string | null;
  /** Also the end of its window: what ends later is not taken. */
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly endedAtMs: number | null;
  /** What a scan at its creation found; `atLeast`: it ended at its bound. */
  readonly estimate: { readonly matched: number; readonly toReplay: number; readonly atLeast: boolean };
  readonly counts: ReplayCounts;
  /** Position in the list up to which it is done; null: at its beginning. */
  readonly after: string | null;
  /** `dueAtMs` null: it stands still. `by`: id of the message that made the last page. */
  readonly tick: NextTick;
}

/** What decides about a delivery. */
export type ReplayScope = Pick<ReplayJob, "replayId" | "filter" | "includeReplayed" | "createdAtMs">;

/** True for a delivery that the job is about, replayed or skipped. Its own replays are none. */
export function isMatched({ filter, createdAtMs, replayId }: ReplayScope, delivery: Delivery): boolean {
  const { status, deadLetterReason, subscriptionId, sourceId, replayOf, deliveryId } = delivery;
  const last = delivery.attempts.at(-1);
  return (
    status === filter.status &&
    delivery.updatedAtMs <= createdAtMs &&
    (replayOf === null || deliveryId !== replayIdOf(replayOf, replayId)) &&
    (filter.reason === null || deadLetterReason === filter.reason) &&
    (filter.subscriptionId === null || subscriptionId === filter.subscriptionId) &&
    (filter.sourceId === null || sourceId === filter.sourceId) &&
    (filter.sinceMs === null || delivery.createdAtMs >= filter.sinceMs) &&
    (filter.untilMs === null || delivery.createdAtMs < filter.untilMs) &&
    (filter.statusCode === null || last?.statusCode === filter.statusCode) &&
    (filter.error === null || last?.error === filter.error)
  );
}

/**
 * Why a matched delivery is not replayed; null: it is. `isReplayed`: it has a replay that is not this job's. What
 * somebody ended on purpose stays ended: cancelled, or by the deletion of its subscription.
 */
export function whySkipped(
  { replayId, includeReplayed }: ReplayScope,
  original: Delivery,
  isReplayed: boolean,
  retentionDays: number,
  nowMs: number,
): ReplaySkip | null {
  const { deadLetterReason } = original;
  if (deadLetterReason === "cancelled" || deadLetterReason === "subscription_deleted") return deadLetterReason;
  const ownId = replayIdOf(original.deliveryId, replayId);
  const isOwn = (original.replayedAs ?? []).includes(ownId);
  const reason = whyNotReplayable(original, retentionDays, nowMs);
  if (reason !== null && !(reason === "too_many_replays" && isOwn)) return reason;
  return isReplayed && !isOwn && !includeReplayed ? "already_replayed" : null;
}

export const noCounts: ReplayCounts = { scanned: 0, replayed: 0, skipped: {} };

export function addCounts(a: ReplayCounts, b: ReplayCounts): ReplayCounts {
  const reasons = [...new Set([...Object.keys(a.skipped), ...Object.keys(b.skipped)])] as ReplaySkip[];
  const skipped = reasons.map((reason) => [reason, (a.skipped[reason] ?? 0) + (b.skipped[reason] ?? 0)]);
  return {
    scanned: a.scanned + b.scanned,
    replayed: a.replayed + b.replayed,
    skipped: Object.fromEntries(skipped) as SkipCounts,
  };
}

/** Deliveries that were taken, whatever became of them. */
export function matchedOf({ replayed, skipped }: ReplayCounts): number {
  return Object.values(skipped).reduce((sum, count) => sum + count, replayed);
}

export const isEnded = ({ state }: Pick<ReplayJob, "state">): boolean => state !== "running" && state !== "paused";
