import { type Command, Option } from "commander";
import type { AttemptView, DeliveryView } from "../../functions/app/admin/view-schemas.js";
import type { Io } from "../io.js";
import { pointInTime, wholeNumber } from "../option-values.js";
import { describeCommand, run } from "../program.js";
import type { Page } from "../relay-client.js";
import type { Session } from "../session.js";
import type { Column } from "../table.js";
import { absoluteTime, bothTimes, duration, printable, relativeTime } from "../text.js";

const statuses: readonly DeliveryView["status"][] = [
  "pending",
  "attempting",
  "retry_scheduled",
  "parked",
  "delivered",
  "dead_lettered",
];

/** `steadyhook deliveries …`: one event to one subscription, with every attempt. */
export function addDeliveries(root: Command, io: Io): void {
  const group = describeCommand(
    root.command("deliveries"),
    "Deliveries: one event to one subscription, with every attempt.",
    [["deliveries list --status dead_lettered --since 2h"], ["deliveries show dlv_…"]],
  );
  const listing = describeCommand(group.command("list"), "List deliveries, the newest first.", [
    ["deliveries list"],
    ["deliveries list --source github --status retry_scheduled"],
    ["deliveries list --since 2h --json | jq '.items[].eventId'"],
  ])
    .addOption(new Option("--status <status>", "only those that are").choices(statuses))
    .option("--subscription <id>", "only those of this subscription")
    .option("--source <id>", "only those of this source");
  run(io, addTimeOptions(addPageOptions(listing), io), list);
  const showing = describeCommand(group.command("show"), "Show a delivery and all its attempts.", [
    ["deliveries show dlv_…"],
  ]);
  run(io, showing.argument("<delivery>"), show);
  const replaying = describeCommand(group.command("replay"), "Deliver a final delivery's event again.", [
    ["deliveries replay dlv_…"],
    ["deliveries replay dlv_… --to sub_…", "to another subscription"],
  ])
    .option("--to <subscription>", "send it there instead")
    .option("--key <key>", "names the replay: with the same key it is the same one");
  run(io, replaying.argument("<delivery>"), replay);
  const cancelling = describeCommand(group.command("cancel"), "End an open delivery without a further attempt.", [
    ["deliveries cancel dlv_…"],
  ]);
  run(io, cancelling.argument("<delivery>"), cancel);
}

/** Options of lists that may be long. */
export const addPageOptions = (command: Command): Command =>
  command
    .option("--limit <n>", "most to show at once (1 to 100)", wholeNumber, 50)
    .option("--cursor <cursor>", "go on where an earlier page ended");

export const addTimeOptions = (command: Command, { now }: Io): Command =>
  command
    .option("--since <time>", "created at or after: 2h, 1d or 2026-01-31T12:00:00Z", (value) =>
      pointInTime(value, now()),
    )
    .option("--until <time>", "created before", (value) => pointInTime(value, now()));

export interface PageOptions {
  readonly limit: number;
  readonly cursor?: string;
  readonly since?: string;
  readonly until?: string;
}

interface ListOptions extends PageOptions {
  readonly status?: string;
  readonly subscription?: string;
  readonly source?: string;
}

async function list(session: Session, options: ListOptions): Promise<void> {
  const { limit, cursor, since, until, status, subscription: subscriptionId, source: sourceId } = options;
  const query = { limit: String(limit), cursor, since, until, status, subscriptionId, sourceId };
  const page = await (await session.relay()).call<Page<DeliveryView>>("GET", "/deliveries", { query });
  session.result(page, () => {
    if (page.items.length === 0) session.note(page.cursor === null ? "No deliveries." : "None so far.");
    else session.table(page.items, deliveryColumns(session.nowMs));
    showCursor(session, page.cursor);
  });
}

/** A page may be empty and yet not be the last. */
export function showCursor(session: Session, cursor: string | null): void {
  if (cursor !== null) session.note(`There is more: the same command with --cursor ${cursor}`);
}

export function deliveryColumns(nowMs: number): readonly Column<DeliveryView>[] {
  return [
    { title: "DELIVERY", value: ({ deliveryId }) => deliveryId },
    { title: "STATUS", value: ({ status }) => status },
    { title: "ATTEMPTS", value: ({ attemptsStarted }) => String(attemptsStarted), rank: 2 },
    { title: "LAST", value: ({ attempts }) => resultOf(attempts.at(-1)), rank: 1, cut: true },
    { title: "NEXT", value: ({ nextAttemptAt }) => relativeOr(nextAttemptAt, nowMs), rank: 2 },
    { title: "AGE", value: ({ receivedAt }) => relativeTime(receivedAt, nowMs).replace(" ago", ""), rank: 1 },
    { title: "RECEIVED", value: ({ receivedAt }) => absoluteTime(receivedAt), rank: 4 },
    { title: "SOURCE", value: ({ sourceId }) => sourceId, rank: 3 },
    { title: "REASON", value: ({ deadLetterReason }) => deadLetterReason ?? "", rank: 3 },
    { title: "SUBSCRIPTION", value: ({ subscriptionId }) => subscriptionId, rank: 6 },
    { title: "EVENT", value: ({ eventId }) => eventId, rank: 5 },
  ];
}

const relativeOr = (iso: string | null, nowMs: number): string => (iso === null ? "" : relativeTime(iso, nowMs));

/** `503`, or the typed error of an attempt that got no answer. */
const resultOf = (attempt: AttemptView | undefined): string =>
  attempt === undefined ? "" : String(attempt.statusCode ?? attempt.error ?? attempt.outcome);

async function show(session: Session, _options: object, id = ""): Promise<void> {
  const path = `/deliveries/${encodeURIComponent(id)}`;
  const delivery = await (await session.relay()).call<DeliveryView>("GET", path);
  session.result(delivery, () => showDelivery(session, delivery));
}

interface ReplayOptions {
  readonly to?: string;
  readonly key?: string;
}

async function replay(session: Session, { to, key }: ReplayOptions, id = ""): Promise<void> {
  const path = `/deliveries/${encodeURIComponent(id)}/replay`;
  const body = to === undefined ? {} : { subscriptionId: to };
  const made = await (await session.relay()).call<DeliveryView>("POST", path, { body, key });
  session.result(made, () => session.line(`${made.deliveryId} is on its way to ${made.subscriptionId}.`));
}

async function cancel(session: Session, _options: object, id = ""): Promise<void> {
  const path = `/deliveries/${encodeURIComponent(id)}/cancel`;
  const ended = await (await session.relay()).call<DeliveryView>("POST", path);
  session.result(ended, () => session.line(`${ended.deliveryId} is cancelled.`));
}

export function showDelivery(session: Session, delivery: DeliveryView): void {
  const { nowMs } = session;
  const { currentAttempt, nextAttemptAt } = delivery;
  session.fields([
    ["delivery", delivery.deliveryId],
    ["status", delivery.status],
    ["because", delivery.deadLetterReason],
    ["event", delivery.eventId],
    ["source", delivery.sourceId],
    ["subscription", delivery.subscriptionId],
    ["replay of", delivery.replayOf],
    ["replayed as", delivery.replayedAs.join(" ") || null],
    ["erased", delivery.erasedAt === null ? null : bothTimes(delivery.erasedAt, nowMs)],
    ["received", bothTimes(delivery.receivedAt, nowMs)],
    ["changed", bothTimes(delivery.updatedAt, nowMs)],
    ["next attempt", nextAttemptAt === null ? null : bothTimes(nextAttemptAt, nowMs)],
    [
      "under way",
      currentAttempt && `attempt ${currentAttempt.number}, since ${bothTimes(currentAttempt.startedAt, nowMs)}`,
    ],
  ]);
  session.heading(`Attempts: ${delivery.attemptsStarted}`);
  if (delivery.attempts.length > 0) session.table(delivery.attempts, attemptColumns(nowMs));
  if (delivery.attemptsDropped > 0)
    session.line(`${delivery.attemptsDropped} between the first 5 and the last 95 are not kept.`);
  for (const attempt of delivery.attempts) showEvidence(session, attempt);
}

const attemptColumns = (nowMs: number): readonly Column<AttemptView>[] => [
  { title: "#", value: ({ number }) => String(number) },
  { title: "OUTCOME", value: ({ outcome }) => outcome },
  { title: "RESULT", value: (attempt) => resultOf(attempt) },
  { title: "STARTED", value: ({ startedAt }) => absoluteTime(startedAt) },
  { title: "", value: ({ startedAt }) => relativeTime(startedAt, nowMs), rank: 3 },
  { title: "DELAY BEFORE", value: ({ delaySeconds }) => duration(delaySeconds), rank: 1 },
  { title: "TOOK", value: ({ durationMs }) => (durationMs === null ? "" : `${Math.round(durationMs)}ms`), rank: 2 },
  { title: "RETRY-AFTER", value: (attempt) => retryAfterText(attempt), rank: 4 },
  { title: "ADDRESS", value: ({ address }) => address ?? "", rank: 5 },
];

function retryAfterText({ retryAfterSeconds, retryAfterText: unusable, retryAfterClamped }: AttemptView): string {
  if (retryAfterSeconds !== null) return `${duration(retryAfterSeconds)}${retryAfterClamped ? " (capped)" : ""}`;
  return unusable === undefined ? "" : `unusable: ${unusable}`;
}

/** What does not fit into a line: why it failed, and how the destination answered. */
function showEvidence(session: Session, attempt: AttemptView): void {
  const { number, outcome, errorDetail, location, preview, requestId } = attempt;
  if (outcome === "delivered") return;
  if (errorDetail !== undefined) session.line(`\n#${number}: ${printable(errorDetail)}`);
  if (location !== undefined) session.line(`\n#${number} redirects to ${printable(location)} (never followed)`);
  if (requestId !== undefined) session.line(`\n#${number} is ${printable(requestId)} at the destination`);
  if (preview === undefined || preview.text === "") return;
  const marks = [preview.cut ? "cut" : "", preview.lossy ? "not quite its bytes" : ""].filter((mark) => mark !== "");
  session.line(`\n#${number} answered${marks.length === 0 ? "" : ` (${marks.join(", ")})`}:`);
  session.line(printable(preview.text.replaceAll("\r\n", "\n"), { lines: true }).replaceAll(/^/gm, "  "));
}
