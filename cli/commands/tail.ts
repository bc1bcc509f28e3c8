import { type Command, Option } from "commander";
import { CliError } from "../cli-error.js";
import type { Io } from "../io.js";
import { pointInTime } from "../option-values.js";
import { describeCommand, run } from "../program.js";
import type { Session } from "../session.js";
import { lineColumns } from "../tail/line-columns.js";
import { Tail } from "../tail/tail.js";
import { lineStatuses, type TailLine } from "../tail/tail-line.js";
import { printableJson } from "../text.js";

interface TailOptions {
  readonly source?: string;
  readonly subscription?: string;
  readonly status?: string;
  readonly since?: string;
}

/** `steadyhook tail`: what the relay does, as it does it. */
export function addTail(root: Command, io: Io): void {
  const command = describeCommand(
    root.command("tail"),
    "Follow what the relay does: a line for each attempt, and for what becomes of a delivery without one. Ctrl-C ends it.",
    [
      ["tail"],
      ["tail --source github --since 10m", "deliveries created in the last ten minutes first"],
      ["tail --status dead_lettered --json | jq -r .deliveryId"],
    ],
  )
    .option("--source <id>", "only those of this source")
    .option("--subscription <id>", "only those of this subscription")
    .addOption(new Option("--status <status>", "only what becomes of them").choices(lineStatuses))
    .option("--since <time>", "begin with deliveries created then: 10m, 2h or 2026-01-31T12:00:00Z", (value) =>
      pointInTime(value, io.now()),
    );
  run(io, command, follow);
}

/** Between two polls. */
const shortestMs = 1_000;
/** While nothing happens. */
const longestMs = 5_000;

async function follow(session: Session, options: TailOptions): Promise<void> {
  const signal = session.io.interruption();
  try {
    const tail = await begin(session, options, signal);
    await untilInterrupted(session, signal, tail);
  } catch (error) {
    // Ctrl-C ends the call that is under way, too: that is no failure.
    if (!signal.aborted) throw error;
  }
}

async function begin(session: Session, options: TailOptions, signal: AbortSignal): Promise<Tail> {
  const { source, subscription, status, since } = options;
  const { io } = session;
  const relay = await session.relay();
  // Of what does not exist nothing would ever be shown.
  if (source !== undefined) await relay.call("GET", `/sources/${encodeURIComponent(source)}`, { signal });
  if (subscription !== undefined) {
    await relay.call("GET", `/subscriptions/${encodeURIComponent(subscription)}`, { signal });
  }
  const tell = (lines: readonly TailLine[]) => show(session, lines, status);
  const surroundings = { relay, now: io.now, signal, tell, warn: (text: string) => session.note(text) };
  const filter = { sourceId: source, subscriptionId: subscription };
  const tail = await Tail.begin(filter, since === undefined ? null : Date.parse(since), surroundings);
  if (session.options.json !== true && io.stdout.isTTY) session.table([], lineColumns(session.nowMs));
  return tail;
}

async function untilInterrupted(session: Session, signal: AbortSignal, tail: Tail): Promise<void> {
  const { io } = session;
  let [isFailing, idlePolls] = [false, 0];
  do {
    try {
      const isNew = await tail.poll();
      if (isFailing) session.note("The relay answers again.");
      isFailing = false;
      idlePolls = isNew ? 0 : idlePolls + 1;
    } catch (error) {
      if (signal.aborted || !(error instanceof CliError)) throw error;
      if (!isFailing) session.note(`${error.message} Asking again until there is an answer.`);
      isFailing = true;
      idlePolls += 1;
    }
  } while (!(await io.pause(pauseMs(idlePolls, tail.nextLookMs - io.now()))));
}

/** Longer while nothing happens, but no longer than until something is due. */
const pauseMs = (idlePolls: number, untilLookMs: number): number =>
  Math.max(shortestMs, Math.min(longestMs, shortestMs * 1.2 ** idlePolls, untilLookMs));

function show(session: Session, lines: readonly TailLine[], status: string | undefined): void {
  const wanted = status === undefined ? lines : lines.filter((line) => line.status === status);
  if (wanted.length === 0) return;
  if (session.options.json === true) for (const line of wanted) session.line(printableJson(line, 0));
  else session.table(wanted, lineColumns(session.nowMs), { titles: false });
}
