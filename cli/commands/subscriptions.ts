import type { Command } from "commander";
import type { SourceView, SubscriptionView } from "../../functions/app/admin/view-schemas.js";
import type { Io } from "../io.js";
import { describeCommand, run } from "../program.js";
import { requireConfirmation } from "../read-input.js";
import type { Session } from "../session.js";
import { addSubscriptionOptions, type SubscriptionOptions, subscriptionDocument } from "../subscription-options.js";
import { relativeTime } from "../text.js";
import { addSecretCommands } from "./rotate-secret.js";
import { showSubscription } from "./show-subscription.js";
import { ifVersion, type VersionOptions } from "./sources.js";
import { addTestCommand } from "./test-subscription.js";

const idArgument = "<subscription>";

/** `steadyhook subscriptions …`: the destinations of a source. */
export function addSubscriptions(root: Command, io: Io): void {
  const group = describeCommand(
    root.command("subscriptions"),
    "Subscriptions: destinations under a source, each with its own policy.",
    [
      ["subscriptions list github"],
      ["subscriptions create github https://ci.example.com/hooks --name builds"],
      ["subscriptions pause sub_…"],
    ],
  );
  const command = (name: string, description: string, ...lines: ReadonlyArray<readonly [string, string?]>) =>
    describeCommand(group.command(name), description, lines);

  const listing = command("list", "List the subscriptions of one source, or of all.", ["subscriptions list github"]);
  run(io, listing.argument("[source]"), list);
  run(io, command("show", "Show one subscription.", ["subscriptions show sub_…"]).argument(idArgument), show);
  run(io, createCommand(command), create);
  run(io, updateCommand(command), update);
  const removing = command("delete", "Delete a subscription; what is still open for it ends.", [
    "subscriptions delete sub_…",
  ]);
  run(io, ifVersion(removing.argument(idArgument).option("-y, --yes", "do not ask")), remove);
  addTestCommand(
    io,
    command("test", "Send a test event to this subscription only, and wait for its outcome.", [
      "subscriptions test sub_…",
    ]),
  );
  const pausing = command("pause", "Park deliveries until it is resumed: no attempt is made.", [
    "subscriptions pause sub_…",
  ]);
  run(io, pausing.argument(idArgument), (session, _options, id = "") => move(session, id, "pause"));
  const resuming = command("resume", "Deliver again, what is parked first.", ["subscriptions resume sub_…"]);
  addSecretCommands(group, io);
  run(io, resuming.argument(idArgument), (session, _options, id = "") => move(session, id, "resume"));
}

type CommandMaker = (name: string, description: string, ...lines: ReadonlyArray<readonly [string, string?]>) => Command;

function createCommand(command: CommandMaker): Command {
  const creating = command(
    "create",
    "Create a subscription: from now on each event of the source goes to the URL too.",
    ["subscriptions create demo http://127.0.0.1:3000/hooks"],
    ["subscriptions create github https://ci.example.com/hooks --name builds --types 'push,workflow_run'"],
    ["subscriptions create shop https://erp.example.com/in --schedule table:1m,5m,1h --max-attempts 4 --max-age 1d"],
    ["subscriptions create shop https://erp.example.com/in --signing-secret env:ERP_SECRET"],
  );
  return addSubscriptionOptions(creating.argument("<source>").argument("<url>", "where events are sent to"));
}

function updateCommand(command: CommandMaker): Command {
  const updating = command(
    "update",
    "Change what is named, and nothing else.",
    ["subscriptions update sub_… --max-attempts 8"],
    ["subscriptions update sub_… --destination https://new.example.com/hooks --if-version 3"],
    ["subscriptions update sub_… --schedule none", "back to the preset's"],
  );
  const change = updating.argument(idArgument).option("--destination <url>", "where events are sent to");
  return ifVersion(addSubscriptionOptions(change));
}

const pathOf = (subscriptionId: string): string => `/subscriptions/${encodeURIComponent(subscriptionId)}`;
const listPath = (sourceId: string): string => `/sources/${encodeURIComponent(sourceId)}/subscriptions`;

async function list(session: Session, _options: object, sourceId?: string): Promise<void> {
  const relay = await session.relay();
  const sourceIds =
    sourceId === undefined ? (await relay.all<SourceView>("/sources")).map((source) => source.sourceId) : [sourceId];
  const items: SubscriptionView[] = [];
  for (const each of sourceIds) items.push(...(await relay.all<SubscriptionView>(listPath(each))));
  session.result({ items, cursor: null }, () => {
    if (items.length === 0)
      return session.note("There are no subscriptions: `steadyhook subscriptions create --help`.");
    session.table(items, [
      { title: "SUBSCRIPTION", value: ({ subscriptionId }) => subscriptionId },
      { title: "SOURCE", value: (each) => each.sourceId, rank: sourceId === undefined ? 1 : 6 },
      { title: "NAME", value: ({ name }) => name ?? "", rank: 2, cut: true },
      { title: "STATUS", value: ({ status }) => status },
      { title: "URL", value: ({ url }) => url, rank: 1, cut: true },
      { title: "POLICY", value: ({ policy }) => policy.preset, rank: 4 },
      { title: "ATTEMPTS", value: ({ policy }) => String(policy.maxAttempts), rank: 5 },
      { title: "TYPES", value: ({ types }) => types?.join(",") ?? "", rank: 3, cut: true },
      { title: "MANAGED BY", value: ({ managedBy }) => managedBy ?? "", rank: 7, cut: true },
      { title: "CHANGED", value: ({ updatedAt }) => relativeTime(updatedAt, session.nowMs), rank: 5 },
    ]);
  });
}

async function show(session: Session, _options: object, id = ""): Promise<void> {
  showSubscription(session, await (await session.relay()).call("GET", pathOf(id)));
}

async function create(session: Session, options: SubscriptionOptions, sourceId = "", url = ""): Promise<void> {
  const relay = await session.relay();
  const body = { ...(await subscriptionDocument(options, session.io)), url };
  showSubscription(session, await relay.call("POST", listPath(sourceId), { body }));
}

async function update(session: Session, options: SubscriptionOptions & VersionOptions, id = ""): Promise<void> {
  const relay = await session.relay();
  const body = await subscriptionDocument(options, session.io);
  showSubscription(session, await relay.call("PATCH", pathOf(id), { body, ifMatch: options.ifVersion }));
}

async function remove(session: Session, { ifVersion: version, yes }: VersionOptions, id = ""): Promise<void> {
  await requireConfirmation(session.io, `Delete the subscription ${id} and end its open deliveries?`, yes);
  await (await session.relay()).call("DELETE", pathOf(id), { ifMatch: version });
  session.result({ deleted: id }, () => session.line(`deleted subscription ${id}`));
}

async function move(session: Session, id: string, to: "pause" | "resume"): Promise<void> {
  const subscription = await (await session.relay()).call<SubscriptionView>("POST", `${pathOf(id)}/${to}`, {
    body: {},
  });
  session.result(subscription, () => session.line(`${id} is ${session.toned(subscription.status)}`));
}
