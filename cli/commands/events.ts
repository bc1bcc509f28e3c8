import { writeFile } from "node:fs/promises";
import { type Command, Option } from "commander";
import type { ErasureView, EventSummaryView, EventView } from "../../functions/app/admin/view-schemas.js";
import { CliError } from "../cli-error.js";
import type { Io } from "../io.js";
import { describeCommand, run } from "../program.js";
import { requireConfirmation } from "../read-input.js";
import type { Page } from "../relay-client.js";
import type { Session } from "../session.js";
import { absoluteTime, bothTimes, counted, printable, relativeTime } from "../text.js";
import { addPageOptions, addTimeOptions, deliveryColumns, type PageOptions, showCursor } from "./deliveries.js";

/** `steadyhook events …`: what was accepted. */
export function addEvents(root: Command, io: Io): void {
  const group = describeCommand(root.command("events"), "Events: requests that were accepted, byte for byte.", [
    ["events list --source github --since 1h"],
    ["events show evt_…"],
    ["events body evt_… > body.json"],
  ]);
  const listing = describeCommand(group.command("list"), "List events, the newest first.", [
    ["events list --source github"],
    ["events list --state quarantined", "whose signature was wrong"],
    ["events list --state undelivered", "that no subscription took"],
  ])
    .option("--source <id>", "only those of this source")
    .addOption(new Option("--state <state>", "only those that are").choices(["undelivered", "quarantined"]));
  run(io, addTimeOptions(addPageOptions(listing), io), list);
  const showing = describeCommand(group.command("show"), "Show an event, its headers and its deliveries.", [
    ["events show evt_…"],
  ]);
  run(io, showing.argument("<event>"), show);
  const erasing = describeCommand(
    group.command("erase"),
    "Erase what was sent and answered: headers, body, previews. Ids, times and states stay.",
    [["events erase evt_… --reason 'request of 31 January'"]],
  );
  run(io, erasing.argument("<event>").option("-y, --yes", "do not ask"), erase);
  const body = describeCommand(group.command("body"), "Write an event's body to stdout or a file, byte for byte.", [
    ["events body evt_… | jq ."],
    ["events body evt_… --output body.bin"],
  ]);
  run(io, body.argument("<event>").option("-o, --output <file>", "write it to this file"), writeBody);
}

async function erase(session: Session, { yes }: { readonly yes?: boolean }, id = ""): Promise<void> {
  await requireConfirmation(session.io, `Erase ${printable(id)} for good, and cancel what is open of it?`, yes);
  const erased = await (await session.relay()).call<ErasureView>("DELETE", `/events/${encodeURIComponent(id)}`);
  session.result(erased, () =>
    session.line(`${erased.eventId} is erased, with ${counted(erased.deliveries, "delivery", "deliveries")}.`),
  );
}

interface ListOptions extends PageOptions {
  readonly source?: string;
  readonly state?: string;
}

async function list(session: Session, options: ListOptions): Promise<void> {
  const { limit, cursor, since, until, state, source: sourceId } = options;
  const query = { limit: String(limit), cursor, since, until, state, sourceId };
  const page = await (await session.relay()).call<Page<EventSummaryView>>("GET", "/events", { query });
  session.result(page, () => {
    if (page.items.length === 0) session.note(page.cursor === null ? "No events." : "None so far.");
    else showEvents(session, page.items);
    showCursor(session, page.cursor);
  });
}

function showEvents(session: Session, events: readonly EventSummaryView[]): void {
  session.table(events, [
    { title: "EVENT", value: ({ eventId }) => eventId },
    { title: "SOURCE", value: ({ sourceId }) => sourceId, rank: 1, cut: true },
    { title: "TYPE", value: ({ type }) => type ?? "", rank: 2, cut: true },
    { title: "STATE", value: ({ state }) => state ?? "", rank: 1 },
    { title: "DELIVERIES", value: ({ deliveryIds }) => String(deliveryIds.length), rank: 4 },
    { title: "BYTES", value: ({ bodyBytes }) => String(bodyBytes), rank: 3 },
    { title: "AGE", value: ({ receivedAt }) => relativeTime(receivedAt, session.nowMs).replace(" ago", ""), rank: 1 },
    { title: "RECEIVED", value: ({ receivedAt }) => absoluteTime(receivedAt), rank: 5 },
    { title: "DEDUPE KEY", value: ({ dedupeKey }) => dedupeKey ?? "", rank: 6, cut: true },
  ]);
}

const pathOf = (eventId: string): string => `/events/${encodeURIComponent(eventId)}`;

async function show(session: Session, _options: object, id = ""): Promise<void> {
  const event = await (await session.relay()).call<EventView>("GET", pathOf(id));
  session.result(event, () => {
    const query = event.query === "" ? "" : `?${event.query}`;
    session.fields([
      ["event", event.eventId],
      ["source", event.sourceId],
      ["state", event.state],
      ["type", event.type],
      ["received", bothTimes(event.receivedAt, session.nowMs)],
      ["request", `${event.method} ${event.suffix}${query}`.trim()],
      ["body", `${counted(event.bodyBytes, "byte")}, SHA-256 ${event.bodySha256}`],
      ["verified by", event.verifiedBy],
      ["dedupe key", event.dedupeKey ?? event.dedupeMissed],
      ["quarantine", event.quarantine?.reason],
      ["released as", event.quarantine?.releasedAs],
      ["released from", event.releasedFrom],
    ]);
    session.heading("Headers");
    session.fields(Object.entries(event.headers));
    session.heading(counted(event.deliveries.length, "delivery", "deliveries"));
    if (event.deliveries.length > 0) session.table(event.deliveries, deliveryColumns(session.nowMs));
  });
}

async function writeBody(session: Session, { output }: { readonly output?: string }, id = ""): Promise<void> {
  const body = await (await session.relay()).download(`${pathOf(id)}/body`);
  if (output !== undefined) {
    await writeFile(output, body);
    session.note(`${counted(body.length, "byte")} written to ${output}`);
    return;
  }
  if (session.io.stdout.isTTY && !isText(body)) {
    throw new CliError(`The body (${counted(body.length, "byte")}) is not text that a terminal can show.`, {
      fix: "Write it to a file with --output FILE, or pipe it into a program.",
    });
  }
  session.io.stdout.write(body);
}

/** UTF-8 without anything that a terminal would execute. */
function isText(body: Buffer): boolean {
  const text = body.toString("utf8");
  return !/[^\P{Cc}\t\n\r]/u.test(text) && Buffer.from(text, "utf8").equals(body);
}
