import { type Command, Option } from "commander";
import { replayFilterSchema } from "../../functions/app/admin/replay-schemas.js";
import type { DryRunView, ReplayView } from "../../functions/app/admin/view-schemas.js";
import { CliError } from "../cli-error.js";
import { offering } from "../completion/offered.js";
import type { Io } from "../io.js";
import { given } from "../json-document.js";
import { pointInTime, wholeNumber } from "../option-values.js";
import { describeCommand, run } from "../program.js";
import { requireBulkConfirmation } from "../read-input.js";
import type { Page } from "../relay-client.js";
import { followReplay, showReplay, skippedText } from "../replay-progress.js";
import type { Session } from "../session.js";
import { absoluteTime, counted, duration } from "../text.js";
import { showCursor } from "./deliveries.js";

/** `steadyhook replay …`: replays many deliveries, and sees to those that are under way. */
export function addReplay(root: Command, io: Io): void {
  const group = describeCommand(
    root.command("replay"),
    "Replay many deliveries at a pace: what is dead-lettered, or was delivered. Each original once.",
    [
      ["replay --status dead_lettered --since 2h --dry-run", "what would happen"],
      ["replay --subscription sub_… --per-second 50"],
      ["replay list"],
    ],
  );
  run(io, addFilterOptions(group, io), replay);
  const command = (name: string, description: string) =>
    describeCommand(group.command(name), description, [[`replay ${name}${name === "list" ? "" : " rpl_…"}`]]);
  run(
    io,
    command("list", "List bulk replays, the newest first.")
      .option("--limit <n>", "most to show at once (1 to 100)", wholeNumber, 50)
      .option("--cursor <cursor>", "go on where an earlier page ended"),
    list,
  );
  run(io, command("show", "Show one, and how far it has come.").argument("<replay>"), show);
  run(io, command("follow", "Watch one until it ends.").argument("<replay>"), follow);
  run(io, command("pause", "Hold one: it makes no further replays.").argument("<replay>"), change("paused"));
  run(io, command("resume", "Let one go on where it was.").argument("<replay>"), change("running"));
  run(io, command("cancel", "End one; what it has replayed stays replayed.").argument("<replay>"), cancel);
}

const reasons = replayFilterSchema.entries.reason.wrapped.options;
const errors = replayFilterSchema.entries.error.wrapped.options;

function addFilterOptions(command: Command, { now }: Io): Command {
  const time = (value: string) => pointInTime(value, now());
  return command
    .addOption(
      new Option("--status <status>", "those that are")
        .choices(["dead_lettered", "delivered"])
        .default("dead_lettered"),
    )
    .addOption(
      offering(new Option("--because <reason>", `those that ended because of it: ${reasons.join(", ")}`), reasons),
    )
    .option("--subscription <id>", "only those of this subscription")
    .option("--source <id>", "only those of this source")
    .option("--since <time>", "created at or after: 2h, 1d or 2026-01-31T12:00:00Z", time)
    .option("--until <time>", "created before", time)
    .option("--status-code <code>", "whose last attempt was answered so", wholeNumber)
    .addOption(
      offering(new Option("--error <error>", "whose last attempt ended in this error, such as refused"), errors),
    )
    .option("--to <subscription>", "send all of it there instead")
    .option("--per-second <n>", "most replays a second (1 to 100)", wholeNumber)
    .option("--include-replayed", "also what has a replay already")
    .option("--dry-run", "only say what would happen")
    .option("-y, --yes", "do not ask")
    .option("--detach", "do not watch it");
}

interface ReplayOptions {
  readonly status: string;
  readonly because?: string;
  readonly subscription?: string;
  readonly source?: string;
  readonly since?: string;
  readonly until?: string;
  readonly statusCode?: number;
  readonly error?: string;
  readonly to?: string;
  readonly perSecond?: number;
  readonly includeReplayed?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly detach?: boolean;
}

async function replay(session: Session, options: ReplayOptions): Promise<void> {
  const { status, because: reason, subscription: subscriptionId, source: sourceId } = options;
  const { since, until, statusCode, error } = options;
  const { to, perSecond, includeReplayed } = options;
  const filter = given({ status, reason, subscriptionId, sourceId, since, until, statusCode, error });
  const body = given({ filter, subscriptionId: to, perSecond, includeReplayed });
  const relay = await session.relay();
  if (options.dryRun || !options.yes) {
    const found = await relay.call<DryRunView>("POST", "/replays", { body: { ...body, dryRun: true } });
    if (options.dryRun) return session.result(found, () => showDryRun(session, found));
    if (found.replay === 0) throw new CliError(`Nothing to replay.${skippedSentence(found)}`, { code: "nothing" });
    if (session.options.json !== true) showDryRun(session, found);
    await requireBulkConfirmation(session.io, `Replay ${atLeast(found, found.replay).toLowerCase()}?`, options.yes);
  }
  const begun = await relay.call<ReplayView>("POST", "/replays", { body });
  if (session.options.json === true || options.detach) {
    return session.result(begun, () => session.line(`${begun.replayId} is under way.`));
  }
  await followReplay(session, relay, begun);
}

function showDryRun(session: Session, found: DryRunView): void {
  session.line(`${atLeast(found, found.matched)} matched, ${found.replay} to replay, in ${duration(found.seconds)}.`);
  if (found.bySubscription.length === 0) return;
  session.table(found.bySubscription, [
    { title: "SUBSCRIPTION", value: ({ subscriptionId }) => subscriptionId },
    { title: "SOURCE", value: ({ sourceId }) => sourceId, rank: 2 },
    { title: "MATCHED", value: ({ matched }) => String(matched), rank: 1 },
    { title: "REPLAY", value: (each) => String(each.replay) },
    { title: "SKIPPED", value: ({ skipped }) => skippedText(skipped), rank: 3 },
  ]);
}

const atLeast = (found: DryRunView, count: number): string =>
  `${found.atLeast ? "At least " : ""}${counted(count, "delivery", "deliveries")}`;

const skippedSentence = ({ skipped }: DryRunView): string => {
  const text = skippedText(skipped);
  return text === "" ? "" : ` Skipped: ${text}.`;
};

interface ListOptions {
  readonly limit: number;
  readonly cursor?: string;
}

async function list(session: Session, { limit, cursor }: ListOptions): Promise<void> {
  const query = { limit: String(limit), cursor };
  const page = await (await session.relay()).call<Page<ReplayView>>("GET", "/replays", { query });
  session.result(page, () => {
    if (page.items.length === 0) session.note("No bulk replays.");
    else {
      session.table(page.items, [
        { title: "REPLAY", value: ({ replayId }) => replayId },
        { title: "STATE", value: ({ state }) => state },
        { title: "REPLAYED", value: ({ replayed }) => String(replayed) },
        { title: "SKIPPED", value: ({ skipped }) => skippedText(skipped), rank: 3 },
        { title: "STARTED", value: ({ startedAt }) => absoluteTime(startedAt), rank: 1 },
        { title: "BY", value: ({ by }) => by, rank: 2, cut: true },
      ]);
    }
    showCursor(session, page.cursor);
  });
}

const pathOf = (id: string): string => `/replays/${encodeURIComponent(id)}`;

async function show(session: Session, _options: object, id = ""): Promise<void> {
  const found = await (await session.relay()).call<ReplayView>("GET", pathOf(id));
  session.result(found, () => showReplay(session, found));
}

async function follow(session: Session, _options: object, id = ""): Promise<void> {
  const relay = await session.relay();
  await followReplay(session, relay, await relay.call<ReplayView>("GET", pathOf(id)));
}

const change =
  (state: "paused" | "running") =>
  async (session: Session, _options: object, id = ""): Promise<void> => {
    const changed = await (await session.relay()).call<ReplayView>("PATCH", pathOf(id), { body: { state } });
    session.result(changed, () => showReplay(session, changed));
  };

async function cancel(session: Session, _options: object, id = ""): Promise<void> {
  const ended = await (await session.relay()).call<ReplayView>("DELETE", pathOf(id));
  session.result(ended, () => showReplay(session, ended));
}
