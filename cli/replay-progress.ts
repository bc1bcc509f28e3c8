import type { ReplayView } from "../functions/app/admin/view-schemas.js";
import { CliError } from "./cli-error.js";
import { Progress } from "./progress.js";
import type { RelayClient } from "./relay-client.js";
import type { Session } from "./session.js";
import { bothTimes, duration } from "./text.js";

/** A bulk replay on its way: a bar on a terminal, a line every few seconds elsewhere. */

const lookEveryMs = 1_000;
/** Without a terminal: looks from one line to the next. */
const looksPerLine = 10;

/** Watches until it ends. Interrupted, it goes on without us: how to see to it is said. */
export async function followReplay(session: Session, relay: RelayClient, begun: ReplayView): Promise<void> {
  const { io } = session;
  const signal = io.interruption();
  const progress = new Progress(io.stderr);
  let job = begun;
  for (let looks = 0; job.state === "running"; looks++) {
    progress.show(shareOf(job), progressText(job));
    if (!io.stderr.isTTY && looks % looksPerLine === 0) session.note(progressText(job));
    const next = (await io.pause(lookEveryMs)) ? null : await look(relay, job, signal);
    if (next === null) {
      progress.keep();
      session.note(`${job.replayId} goes on. \`steadyhook replay follow|pause|cancel ${job.replayId}\` sees to it.`);
      return;
    }
    job = next;
  }
  progress.show(shareOf(job), progressText(job));
  progress.keep();
  session.result(job, () => showReplay(session, job));
  if (job.state === "failed") {
    throw new CliError(`${job.replayId} has failed: ${job.failure}.`, { code: job.failure ?? "failed" });
  }
}

/** Null: interrupted. */
async function look(relay: RelayClient, { replayId }: ReplayView, signal: AbortSignal): Promise<ReplayView | null> {
  try {
    return await relay.call<ReplayView>("GET", `/replays/${encodeURIComponent(replayId)}`, { signal });
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

const shareOf = ({ state, matched, estimate }: ReplayView): number =>
  state === "done" ? 1 : matched / Math.max(1, estimate.matched, matched);

function progressText({ state, replayed, estimate, secondsLeft }: ReplayView): string {
  const of = estimate.toReplay >= replayed ? `/${estimate.toReplay}${estimate.atLeast ? "+" : ""}` : "";
  const left = secondsLeft === null ? "" : `, ${duration(secondsLeft)} left`;
  return `${state}: ${replayed}${of} replayed${left}`;
}

export function showReplay(session: Session, job: ReplayView): void {
  const { nowMs } = session;
  session.fields([
    ["replay", job.replayId],
    ["state", job.state],
    ["because", job.failure],
    ["replayed", job.replayed],
    ["skipped", skippedText(job.skipped) || null],
    ["looked at", job.scanned],
    ["expected", `${job.estimate.toReplay}${job.estimate.atLeast ? " or more" : ""}`],
    ["per second", job.perSecond],
    ["left", job.secondsLeft === null ? null : duration(job.secondsLeft)],
    ["to", job.subscriptionId],
    ["by", job.by],
    ["what for", job.reason],
    ["started", bothTimes(job.startedAt, nowMs)],
    ["ended", job.endedAt === null ? null : bothTimes(job.endedAt, nowMs)],
  ]);
}

/** `12 already_replayed, 3 erased`. */
export const skippedText = (skipped: Readonly<Record<string, number>>): string =>
  Object.entries(skipped)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => `${count} ${reason}`)
    .join(", ");
