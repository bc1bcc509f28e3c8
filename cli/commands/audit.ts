import type { Command } from "commander";
import type { AuditEntryView } from "../../functions/app/admin/view-schemas.js";
import type { Io } from "../io.js";
import { describeCommand, run } from "../program.js";
import type { Page } from "../relay-client.js";
import type { Session } from "../session.js";
import { absoluteTime } from "../text.js";
import { addPageOptions, addTimeOptions, type PageOptions, showCursor } from "./deliveries.js";

/** `steadyhook audit`: who changed what. */
export function addAudit(root: Command, io: Io): void {
  const command = describeCommand(root.command("audit"), "List who changed what through the relay's API.", [
    ["audit --since 1d"],
    ["audit --subject sub_…", "everything that was done to it"],
  ]).option("--subject <id>", "only what is about this id");
  run(io, addTimeOptions(addPageOptions(command), io), audit);
}

interface AuditOptions extends PageOptions {
  readonly subject?: string;
}

async function audit(session: Session, { limit, cursor, since, until, subject }: AuditOptions): Promise<void> {
  const query = { limit: String(limit), cursor, since, until, subject };
  const page = await (await session.relay()).call<Page<AuditEntryView>>("GET", "/audit", { query });
  session.result(page, () => {
    if (page.items.length === 0) session.note(page.cursor === null ? "Nothing." : "Nothing so far.");
    else {
      session.table(page.items, [
        { title: "AT", value: ({ at }) => absoluteTime(at) },
        { title: "WHAT", value: ({ operation }) => operation },
        { title: "ABOUT", value: ({ subjects }) => subjects.join(" "), rank: 1, cut: true },
        { title: "OUTCOME", value: ({ outcome }) => outcomeText(outcome), rank: 1 },
        { title: "BY", value: ({ by }) => by, rank: 2, cut: true },
        { title: "REASON", value: ({ reason }) => reason ?? "", rank: 3, cut: true },
        { title: "FIELDS", value: ({ fields }) => fields.join(","), rank: 4, cut: true },
      ]);
    }
    showCursor(session, page.cursor);
  });
}

/** `done`, a problem's code, or `unknown`: the write may have been made. */
function outcomeText(outcome: AuditEntryView["outcome"]): string {
  if (outcome === null) return "unknown";
  return outcome.code ?? "done";
}
