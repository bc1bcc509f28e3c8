import type { ReplayJob } from "../../core/replay-job.js";
import type { Clock, ControlQueue, ReplayTable } from "../ports.js";

/** What it takes to change a bulk replay and to set its ticks going. */
export interface ReplayTickSender {
  readonly replays: ReplayTable;
  readonly control: ControlQueue;
  readonly now: Clock;
}

/** Longest delay of a queue. */
const longestDelaySeconds = 900;

/** Sends the job's next tick, so that it comes when it is due. */
export async function sendReplayTick(
  { control, now }: Pick<ReplayTickSender, "control" | "now">,
  { replayId, tick }: ReplayJob,
): Promise<void> {
  if (tick.dueAtMs === null) return;
  const delaySeconds = Math.max(0, Math.ceil((tick.dueAtMs - now()) / 1000));
  await control.sendTick(
    { v: 1, kind: "replay", replayId, seq: tick.seq },
    Math.min(delaySeconds, longestDelaySeconds),
  );
}

/** Lost this often in a row: nobody changes a bulk replay so often. */
const triesAtMost = 10;

/**
 * Changes a bulk replay, read afresh and again whenever somebody else was faster. `change` returns null when there is
 * nothing to do. Answers the job as it is then; null when it was left alone.
 */
export async function moveReplay(
  { replays }: Pick<ReplayTickSender, "replays">,
  replayId: string,
  change: (job: ReplayJob) => ReplayJob | null,
): Promise<ReplayJob | null> {
  for (let tries = 0; tries < triesAtMost; tries++) {
    const job = await replays.findReplay(replayId);
    const next = job === null ? null : change(job);
    if (job === null || next === null) return null;
    const written = { ...next, revision: job.revision + 1 };
    if (await replays.replaceReplay(job, written)) return written;
  }
  throw new Error(`bulk replay ${replayId} kept changing under ${triesAtMost} reads`);
}
