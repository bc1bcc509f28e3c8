import type { ReplayView } from "../functions/app/admin/view-schemas.js";
import { CliError } from "./cli-error.js";
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
  let job = begun;
  for (let looks = 0; job.state === "running"; looks++) {
    if (io.stderr.isTTY) io.stderr.write(`\r${bar(job, io.stderr.columns ?? 80)}`);
    else if (looks % looksPerLine === 0) io.stderr.write(`${progressText(job)}\n`);
    if (await io.pause(lookEveryMs)) {
      io.stderr.write(
        `\n${job.replayId} goes on. \`steadyhook replay follow|pause|cancel ${job.replayId}\` sees to it.\n`,
      );
      return;
    }
    job = await relay.call<ReplayView>("GET", `/replays/${encodeURIComponent(job.replayId)}`);
  }
  if (io.stderr.isTTY) io.stderr.write(`\r${bar(job, io.stderr.columns ?? 80)}\n`);
  session.result(job, () => showReplay(session, job));
  if (job.state === "failed") {
    throw new CliError(`${job.replayId} has failed: ${job.failure}.`, { code: job.failure ?? "failed" });
  }
}

const longestBar = 40;

function bar(job: ReplayView, columns: number): string {
  const text = progressText(job);
  const width = Math.min(longestBar, columns - text.length - 4);
  if (width < 5) return text;
  const expected = Math.max(1, job.estimate.matched, job.matched);
  const filled = job.state === "done" ? width : Math.floor((width * job.matched) / expected);
  return `[${"#".repeat(filled)}${" ".repeat(width - filled)}] ${text}`;
}

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
