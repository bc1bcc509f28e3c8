import type { Command } from "commander";
import type { FaultSummaryView, FaultView } from "../../functions/app/admin/view-schemas.js";
import { CliError } from "../cli-error.js";
import type { Io } from "../io.js";
import { describeCommand, run } from "../program.js";
import type { Page, RelayClient } from "../relay-client.js";
import type { Session } from "../session.js";
import type { Column } from "../table.js";
import { absoluteTime, bothTimes, counted, printable, relativeTime } from "../text.js";
import { addPageOptions, type PageOptions, showCursor } from "./deliveries.js";

/** `steadyhook faults …`: messages that the relay itself could not process. */
export function addFaults(root: Command, io: Io): void {
  const group = describeCommand(
    root.command("faults"),
    "Faults: messages that the relay itself could not process, kept until they are sent back.",
    [["faults list"], ["faults show flt_…"], ["faults redrive flt_…"]],
  );
  const listing = describeCommand(group.command("list"), "List those that wait, the newest first.", [
    ["faults list"],
    [
      "faults list --json | jq -r '.items[].faultId' | xargs npx steadyhook faults redrive",
      "sends the listed ones back",
    ],
  ]);
  run(io, addPageOptions(listing), list);
  const showing = describeCommand(group.command("show"), "Show a fault, its cause and its message's beginning.", [
    ["faults show flt_…"],
  ]);
  run(io, showing.argument("<fault>"), show);
  const redriving = describeCommand(
    group.command("redrive"),
    "Send messages back to their queues, once their cause is gone.",
    [["faults redrive flt_…"], ["faults redrive flt_… flt_…"]],
  );
  // A list of arguments comes as one.
  run(io, redriving.argument("<fault...>"), (session, _options, ...ids) => redrive(session, ids.flat()));
}

async function list(session: Session, { limit, cursor }: PageOptions): Promise<void> {
  const query = { limit: String(limit), cursor };
  const page = await (await session.relay()).call<Page<FaultSummaryView>>("GET", "/faults", { query });
  session.result(page, () => {
    if (page.items.length === 0) session.note(page.cursor === null ? "No faults." : "None so far.");
    else session.table(page.items, columns(session.nowMs));
    showCursor(session, page.cursor);
  });
}

const columns = (nowMs: number): readonly Column<FaultSummaryView>[] => [
  { title: "FAULT", value: ({ faultId }) => faultId },
  { title: "QUEUE", value: ({ queue }) => queue, rank: 2 },
  { title: "CAUSE", value: ({ cause }) => cause, cut: true },
  { title: "AGE", value: ({ faultedAt }) => relativeTime(faultedAt, nowMs).replace(" ago", ""), rank: 1 },
  { title: "TIMES", value: ({ times }) => String(times), rank: 3 },
  { title: "EVENT", value: ({ eventId }) => eventId ?? "", rank: 4 },
  { title: "DELIVERY", value: ({ deliveryId }) => deliveryId ?? "", rank: 5 },
  { title: "CAME", value: ({ faultedAt }) => absoluteTime(faultedAt), rank: 6 },
];

const pathOf = (faultId: string): string => `/faults/${encodeURIComponent(faultId)}`;

async function show(session: Session, _options: object, id = ""): Promise<void> {
  const fault = await (await session.relay()).call<FaultView>("GET", pathOf(id));
  session.result(fault, () => {
    const { message, redrivenAt } = fault;
    session.fields([
      ["fault", fault.faultId],
      ["cause", fault.cause],
      ["queue", fault.queue],
      ["came", `${bothTimes(fault.faultedAt, session.nowMs)}${fault.times > 1 ? `, ${fault.times} times` : ""}`],
      ["sent back", redrivenAt === null ? null : bothTimes(redrivenAt, session.nowMs)],
      ["event", fault.eventId],
      ["delivery", fault.deliveryId],
      ["subscription", fault.subscriptionId],
      ["message id", fault.messageId],
    ]);
    session.heading(`Message: ${counted(message.bytes, "byte")}${message.cut ? " (cut)" : ""}`);
    session.line(printable(message.text));
  });
}

/** Each by itself: that one cannot be sent back does not keep the others. */
async function redrive(session: Session, ids: readonly string[]): Promise<void> {
  const relay = await session.relay();
  const items: FaultSummaryView[] = [];
  const refused: CliError[] = [];
  for (const id of ids) {
    const end = await redriveOne(relay, id);
    if (end instanceof CliError) refused.push(end);
    else items.push(end);
    // Where the relay does not answer, the others would fail in the same way.
    if (end instanceof CliError && end.details.status === undefined) break;
  }
  session.result({ items }, () => {
    for (const { faultId, queue } of items) session.line(`${faultId} is back on the ${queue} queue`);
  });
  const [first, ...more] = refused;
  if (first === undefined) return;
  if (more.length === 0) throw first;
  const message = `${ids.length - items.length} of ${ids.length} were not sent back: ${refused.map((each) => each.message).join(" ")}`;
  throw new CliError(message, first.details);
}

async function redriveOne(relay: RelayClient, id: string): Promise<FaultSummaryView | CliError> {
  try {
    return await relay.call<FaultSummaryView>("POST", `${pathOf(id)}/redrive`, { body: {} });
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}
