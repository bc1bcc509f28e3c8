import type { Command } from "commander";
import type { SourceView } from "../../functions/app/admin/view-schemas.js";
import type { Io } from "../io.js";
import { wholeNumber } from "../option-values.js";
import { describeCommand, run } from "../program.js";
import { addProviderOption, type ProviderOptions, provided, requireProvider } from "../provider-options.js";
import { ruleText } from "../provider-text.js";
import { requireConfirmation } from "../read-input.js";
import type { Session } from "../session.js";
import { addSourceOptions, type SourceOptions, sourceDocument } from "../source-options.js";
import { bothTimes, relativeTime } from "../text.js";
import { showSteps } from "./providers.js";
import { addVerifyRequest } from "./verify-request.js";

/** `steadyhook sources …`: the URLs that providers post to. */
export function addSources(root: Command, io: Io): void {
  const sources = describeCommand(
    root.command("sources"),
    "Sources: URLs that providers post to, or that your services publish to.",
    [["sources list"], ["sources create github --scheme github --secret env:GITHUB_SECRET"], ["sources show github"]],
  );
  run(
    io,
    describeCommand(sources.command("list"), "List all sources.", [["sources list"], ["sources list --json"]]),
    list,
  );
  run(
    io,
    describeCommand(sources.command("show"), "Show one source.", [["sources show github"]]).argument("<source>"),
    show,
  );
  run(io, createCommand(sources), create);
  run(io, updateCommand(sources), update);
  addVerifyRequest(sources, io);
  const remove = describeCommand(sources.command("delete"), "Delete a source that has no subscriptions.", [
    ["sources delete github"],
  ]);
  run(io, ifVersion(remove.argument("<source>").option("-y, --yes", "do not ask")), deleteSource);
}

function createCommand(sources: Command): Command {
  const command = describeCommand(sources.command("create"), "Create a source.", [
    ["sources create demo", "nothing is verified"],
    ["sources create shop --provider shopify --secret env:SHOPIFY_SECRET", "all that Shopify needs"],
    [
      "sources create github --scheme github --secret env:GITHUB_SECRET --dedupe header:x-github-delivery",
      "GitHub, with its secret from the environment",
    ],
    [
      "sources create shop --scheme hmac --hmac-header x-signature --hmac-encoding base64 --secret @secret.txt",
      "any sender that signs the body",
    ],
    ["sources create customer-7 --scheme iam", "events come from `steadyhook publish` only"],
  ]);
  const named = command.argument("[source]", "id of your choice; left out: one is made");
  addProviderOption(named, "take what is left out from a provider's preset, and show what to do there");
  return addSourceOptions(named, "create");
}

function updateCommand(sources: Command): Command {
  const command = describeCommand(sources.command("update"), "Change what is named, and nothing else.", [
    ["sources update github --secret env:NEW_SECRET --secret env:OLD_SECRET", "rotate: both are taken for now"],
    ["sources update github --dedupe none --event-type header:x-github-event"],
    ["sources update github --scheme none", "no longer verified"],
  ]);
  return ifVersion(addSourceOptions(command.argument("<source>"), "update"));
}

/** For changes that must not overwrite somebody else's. */
export const ifVersion = (command: Command): Command =>
  command.option("--if-version <n>", "only if this is still its version", wholeNumber);

export interface VersionOptions {
  readonly ifVersion?: number;
  readonly yes?: boolean;
}

async function list(session: Session): Promise<void> {
  const items = await (await session.relay()).all<SourceView>("/sources");
  session.result({ items, cursor: null }, () => {
    if (items.length === 0) return session.note("There are no sources yet: `steadyhook sources create --help`.");
    session.table(items, [
      { title: "SOURCE", value: ({ sourceId }) => sourceId },
      { title: "VERIFICATION", value: ({ verification }) => verification?.scheme ?? "none" },
      { title: "DEDUPE", value: ({ dedupe }) => ruleText(dedupe) ?? "", rank: 3, cut: true },
      { title: "TYPE", value: ({ eventType }) => ruleText(eventType) ?? "", rank: 4, cut: true },
      { title: "CHANGED", value: ({ updatedAt }) => relativeTime(updatedAt, session.nowMs), rank: 2 },
      { title: "MANAGED BY", value: ({ managedBy }) => managedBy ?? "", rank: 2, cut: true },
      { title: "DESCRIPTION", value: ({ description }) => description ?? "", rank: 5, cut: true },
    ]);
  });
}

const pathOf = (sourceId: string): string => `/sources/${encodeURIComponent(sourceId)}`;

async function show(session: Session, _options: object, sourceId = ""): Promise<void> {
  await showSource(session, await (await session.relay()).call("GET", pathOf(sourceId)));
}

async function create(session: Session, options: SourceOptions & ProviderOptions, sourceId?: string): Promise<void> {
  const provider = options.provider === undefined ? null : requireProvider(options.provider);
  const relay = await session.relay();
  const urlOf = (id: string) => `${relay.address.ingressUrl}/${id}`;
  const given = await sourceDocument(options, session.io);
  const document =
    provider === null ? given : provided(provider, given, sourceId === undefined ? null : urlOf(sourceId));
  const body = { ...document, ...(sourceId === undefined ? {} : { sourceId }) };
  const source = await relay.call<SourceView>("POST", "/sources", { body });
  await showSource(session, source);
  if (provider === null || session.options.json) return;
  showSteps(session, provider, source.verification?.publicUrl ?? urlOf(source.sourceId));
}

async function update(session: Session, options: SourceOptions & VersionOptions, sourceId = ""): Promise<void> {
  const relay = await session.relay();
  const body = await sourceDocument(options, session.io);
  await showSource(session, await relay.call("PATCH", pathOf(sourceId), { body, ifMatch: options.ifVersion }));
}

async function deleteSource(session: Session, { ifVersion, yes }: VersionOptions, sourceId = ""): Promise<void> {
  await requireConfirmation(session.io, `Delete the source ${sourceId}?`, yes);
  await (await session.relay()).call("DELETE", pathOf(sourceId), { ifMatch: ifVersion });
  session.result({ deleted: sourceId }, () => session.line(`deleted source ${sourceId}`));
}

async function showSource(session: Session, source: SourceView): Promise<void> {
  const { address } = await session.relay();
  const { verification } = source;
  session.result(source, () =>
    session.fields([
      ["source", source.sourceId],
      ["url", verification?.scheme === "iam" ? null : `${address.ingressUrl}/${source.sourceId}`],
      ["description", source.description],
      ["verification", verification === null ? "none" : `${verification.scheme}, else ${verification.onFailure}`],
      ["secrets", secretsText(verification?.secrets ?? [], session.nowMs)],
      ["handshake", source.handshake?.kind],
      ["answer", source.answer === "event-id" ? null : source.answer],
      ["dedupe", ruleText(source.dedupe) ?? "none: every request is an event of its own"],
      ["event type", ruleText(source.eventType) ?? "none"],
      ["managed by", source.managedBy],
      ["version", source.version],
      ["created", bothTimes(source.createdAt, session.nowMs)],
      ["changed", bothTimes(source.updatedAt, session.nowMs)],
    ]),
  );
}

/** Ids: values are never shown. */
export const secretsText = (secrets: Secrets, nowMs: number): string | null =>
  secrets.length === 0
    ? null
    : secrets
        .map(({ id, createdAt, expiresAt }) => {
          const end = expiresAt == null ? "" : `, ends ${relativeTime(expiresAt, nowMs)}`;
          return `${id} (set ${relativeTime(createdAt, nowMs)}${end})`;
        })
        .join(", ");

type Secrets = readonly {
  readonly id: string;
  readonly createdAt: string;
  readonly expiresAt?: string | null;
}[];
