import { matchedOf, noCounts, type ReplayCounts, type ReplaySkip } from "../../core/replay-job.js";
import type { Scanned } from "../replays/scan.js";
import type { DryRunView } from "./view-schemas.js";

/** What a bulk replay would do, counted by the subscription that the originals went to. */

interface Share {
  readonly sourceId: string;
  readonly subscriptionId: string;
  replay: number;
  skipped: { [Reason in ReplaySkip]?: number };
}

export interface DryRunTally {
  counts: ReplayCounts;
  /** The list had more than were looked at. */
  readonly atLeast: boolean;
  readonly shares: ReadonlyMap<string, Share>;
  add(batch: readonly Scanned[]): void;
}

export function newTally(): DryRunTally {
  const shares = new Map<string, Share>();
  return {
    counts: noCounts,
    atLeast: false,
    shares,
    add(batch) {
      for (const { matched } of batch) {
        if (matched === null) continue;
        const { sourceId, subscriptionId } = matched.original;
        const share = shares.get(subscriptionId) ?? { sourceId, subscriptionId, replay: 0, skipped: {} };
        if (matched.skip === null) share.replay += 1;
        else share.skipped[matched.skip] = (share.skipped[matched.skip] ?? 0) + 1;
        shares.set(subscriptionId, share);
      }
    },
  };
}

/** Largest first. */
export function tallyView({ counts, atLeast, shares }: DryRunTally, perSecond: number): DryRunView {
  const bySubscription = [...shares.values()]
    .map((share) => ({ ...share, matched: matchedOf({ scanned: 0, replayed: share.replay, skipped: share.skipped }) }))
    .toSorted((a, b) => b.matched - a.matched || (a.subscriptionId < b.subscriptionId ? -1 : 1));
  return {
    dryRun: true,
    matched: matchedOf(counts),
    atLeast,
    replay: counts.replayed,
    skipped: { ...counts.skipped },
    seconds: Math.ceil(counts.replayed / perSecond),
    bySubscription,
  };
}
