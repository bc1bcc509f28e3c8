import { addCounts, isEnded, type ReplayCounts, type ReplayJob } from "./replay-job.js";
import { judgeBySeq, mayStillCome, type ReceivedTick, type TickVerdict, tickAfter } from "./ticks.js";

/** Ticks of a bulk replay: each makes a page of replays, and only the job's next one does. */

/** From the start of one page to the start of the next. */
export const pageEveryMs = 1_000;

/** `repeat`: the message made the last page, and may have died before it sent the next tick. */
export function judgeReplayTick({ state, tick }: ReplayJob, received: ReceivedTick): TickVerdict {
  return state === "running" ? judgeBySeq(tick, received) : "drop";
}

/** What a page came to. */
export interface ReplayPage {
  readonly counts: ReplayCounts;
  /** Position of its last entry; null: it had none. */
  readonly after: string | null;
  /** The list has nothing after it. */
  readonly isLast: boolean;
}

/**
 * The job after a page that began at `startedAtMs` and was made for the message `by`. A job that was paused or cancelled
 * meanwhile has the page's counts, and no next tick.
 */
export function afterReplayPage(
  job: ReplayJob,
  page: ReplayPage,
  { by, startedAtMs, nowMs }: { readonly by: string; readonly startedAtMs: number; readonly nowMs: number },
): ReplayJob {
  const isDone = page.isLast && !isEnded(job);
  const goesOn = job.state === "running" && !isDone;
  return {
    ...job,
    ...(isDone ? { state: "done" as const, endedAtMs: nowMs } : {}),
    counts: addCounts(job.counts, page.counts),
    after: page.after ?? job.after,
    updatedAtMs: nowMs,
    tick: tickAfter(job.tick, goesOn ? Math.max(nowMs, startedAtMs + pageEveryMs) : null, by),
  };
}

/** The job with a new chain of ticks, whose first is due at once: whatever of the old one still comes is dropped. */
export function withNewReplayTicks(job: ReplayJob, nowMs: number): ReplayJob {
  return { ...job, state: "running", tick: tickAfter(job.tick, nowMs) };
}

/** True while the job's next tick may still come by itself. */
export function replayIsGoing({ state, tick }: ReplayJob, nowMs: number): boolean {
  return state === "running" && mayStillCome(tick, nowMs);
}

/** The job at one of its ends, or paused: it has no next tick. */
export function stoppedReplay(
  job: ReplayJob,
  state: "paused" | "cancelled" | "failed",
  nowMs: number,
  failure: ReplayJob["failure"] = null,
): ReplayJob {
  const endedAtMs = state === "paused" ? null : nowMs;
  return { ...job, state, failure, endedAtMs, updatedAtMs: nowMs, tick: { ...job.tick, dueAtMs: null } };
}
