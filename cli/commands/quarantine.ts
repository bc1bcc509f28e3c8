import type { Command } from "commander";
import type { EventSummaryView, VerificationReport } from "../../functions/app/admin/view-schemas.js";
import { CliError } from "../cli-error.js";
import type { Io } from "../io.js";
import { describeCommand, run } from "../program.js";
import { requireConfirmation } from "../read-input.js";
import type { Page } from "../relay-client.js";
import type { Session } from "../session.js";
import type { Column } from "../table.js";
import { absoluteTime, bothTimes, printable, relativeTime } from "../text.js";
import { addPageOptions, addTimeOptions, type PageOptions, showCursor } from "./deliveries.js";

/** `steadyhook quarantine …`: requests that could not be verified. */
export function addQuarantine(root: Command, io: Io): void {
  const group = describeCommand(
    root.command("quarantine"),
    "Requests that could not be verified, kept for 7 days and delivered to nobody.",
    [["quarantine list --source shop"], ["quarantine verify evt_…"], ["quarantine release evt_…"]],
  );
  const listing = describeCommand(group.command("list"), "List them, the newest first, with the reason.", [
    ["quarantine list"],
    ["quarantine list --source shop --since 2h"],
  ]).option("--source <id>", "only those of this source");
  run(io, addTimeOptions(addPageOptions(listing), io), list);
  const verifying = describeCommand(
    group.command("verify"),
    "Verify one again: today's secrets, the time at which it came. Changes nothing; fails where it is not verified.",
    [["quarantine verify evt_…"]],
  );
  run(io, verifying.argument("<event>"), verify);
  const releasing = describeCommand(
    group.command("release"),
    "Say that it is genuine: it is delivered as an accepted event, once however often it is said.",
    [["quarantine release evt_…"], ["quarantine release evt_… --yes", "without being asked"]],
  );
  run(io, releasing.argument("<event>").option("-y, --yes", "do not ask"), release);
}

async function list(session: Session, options: PageOptions & { readonly source?: string }): Promise<void> {
  const { limit, cursor, since, until, source: sourceId } = options;
  const query = { limit: String(limit), cursor, since, until, sourceId, state: "quarantined" };
  const page = await (await session.relay()).call<Page<EventSummaryView>>("GET", "/events", { query });
  session.result(page, () => {
    if (page.items.length === 0) session.note(page.cursor === null ? "Nothing is quarantined." : "None so far.");
    else session.table(page.items, columns(session.nowMs));
    showCursor(session, page.cursor);
  });
}

const columns = (nowMs: number): readonly Column<EventSummaryView>[] => [
  { title: "EVENT", value: ({ eventId }) => eventId },
  { title: "SOURCE", value: ({ sourceId }) => sourceId, rank: 1, cut: true },
  { title: "REASON", value: ({ quarantine }) => quarantine?.reason ?? "", rank: 1, cut: true },
  { title: "TYPE", value: ({ type }) => type ?? "", rank: 3, cut: true },
  { title: "BYTES", value: ({ bodyBytes }) => String(bodyBytes), rank: 3 },
  { title: "AGE", value: ({ receivedAt }) => relativeTime(receivedAt, nowMs).replace(" ago", ""), rank: 2 },
  { title: "RECEIVED", value: ({ receivedAt }) => absoluteTime(receivedAt), rank: 4 },
];

const pathOf = (eventId: string): string => `/events/${encodeURIComponent(eventId)}`;

async function verify(session: Session, _options: object, id = ""): Promise<void> {
  const report = await (await session.relay()).call<VerificationReport>("POST", `${pathOf(id)}/verify`, { body: {} });
  session.result(report, () => {
    for (const { step, ok, detail } of report.steps) {
      session.line(
        `${ok ? session.colours.green("ok") : session.colours.red("no")}  ${printable(`${step}: ${detail}`)}`,
      );
    }
    if (!report.verified) return;
    const by = report.verifiedBy === null ? "" : ` by ${report.verifiedBy}`;
    session.line(`verified${by} as of ${bothTimes(report.receivedAt, session.nowMs)}`);
  });
  if (report.verified) return;
  throw new CliError(`${id} is not verified: ${report.reason}`, {
    fix: "Put the source's secrets right, or release it if you know that it is genuine.",
  });
}

async function release(session: Session, { yes }: { readonly yes?: boolean }, id = ""): Promise<void> {
  await requireConfirmation(session.io, `Deliver ${id}, which could not be verified, as a genuine event?`, yes);
  const event = await (await session.relay()).call<EventSummaryView>("POST", `${pathOf(id)}/release`, { body: {} });
  session.result(event, () => {
    const { releasedAs, releasedAt, releasedBy } = event.quarantine ?? {};
    const by = releasedBy == null ? "" : ` by ${releasedBy}`;
    const when = releasedAt == null ? "" : ` (${bothTimes(releasedAt, session.nowMs)}${by})`;
    session.line(`${id} is released as ${releasedAs}${when}`);
  });
}
