import { isEnded, matchedOf, type ReplayJob } from "../../core/replay-job.js";
import type { ReplayView } from "./view-schemas.js";
import { isoTime } from "./views.js";

const timeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

/** A bulk replay as it is shown. */
export function replayView(job: ReplayJob): ReplayView {
  const { replayId, state, failure, perSecond, includeReplayed, by, reason, estimate, counts } = job;
  const { sinceMs, untilMs, ...filter } = job.filter;
  return {
    replayId,
    state,
    failure,
    filter: { ...filter, since: timeOrNull(sinceMs), until: timeOrNull(untilMs) },
    subscriptionId: job.target?.subscriptionId ?? null,
    perSecond,
    includeReplayed,
    by,
    reason,
    estimate: { ...estimate },
    scanned: counts.scanned,
    matched: matchedOf(counts),
    replayed: counts.replayed,
    skipped: { ...counts.skipped },
    secondsLeft: secondsLeft(job),
    startedAt: isoTime(job.createdAtMs),
    updatedAt: isoTime(job.updatedAtMs),
    endedAt: timeOrNull(job.endedAtMs),
  };
}

/** As long as nothing slows it down; null where nobody knows how many there are. */
function secondsLeft(job: ReplayJob): number | null {
  if (isEnded(job) || job.estimate.atLeast) return null;
  return Math.ceil(Math.max(0, job.estimate.toReplay - job.counts.replayed) / job.perSecond);
}
