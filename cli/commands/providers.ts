import { Argument, type Command } from "commander";
import type { Provider } from "../../functions/core/providers/provider.js";
import { providerNames, providers } from "../../functions/core/providers.js";
import { offering } from "../completion/offered.js";
import type { Io } from "../io.js";
import { describeCommand, run } from "../program.js";
import { requireProvider } from "../provider-options.js";
import { providerCommand, providerSteps, ruleText, verificationText } from "../provider-text.js";
import type { Session } from "../session.js";

/** `steadyhook providers …`: presets for sources, and what to set on the provider's side. No relay is asked. */
export function addProviders(root: Command, io: Io): void {
  const group = describeCommand(root.command("providers"), "Providers that there is a preset for.", [
    ["providers list"],
    ["providers show stripe"],
  ]);
  run(io, describeCommand(group.command("list"), "List all presets.", [["providers list"]]), list);
  const show = describeCommand(group.command("show"), "Show a preset, and what to do at the provider.", [
    ["providers show stripe"],
    ["providers show slack --json"],
  ]);
  run(io, show.addArgument(offering(new Argument("<provider>"), providerNames)), showProvider);
}

async function list(session: Session): Promise<void> {
  session.result({ items: providers, cursor: null }, () =>
    session.table(providers, [
      { title: "PROVIDER", value: ({ name }) => name },
      { title: "", value: ({ title }) => title, rank: 1 },
      { title: "VERIFICATION", value: ({ verification }) => verification?.scheme ?? "none" },
      { title: "HANDSHAKE", value: ({ handshake }) => handshake ?? "", rank: 2 },
      { title: "DEDUPE", value: ({ dedupe }) => ruleText(dedupe) ?? "", rank: 3, cut: true },
      { title: "TYPE", value: ({ eventType }) => ruleText(eventType) ?? "", rank: 4, cut: true },
    ]),
  );
}

async function showProvider(session: Session, _options: object, name = ""): Promise<void> {
  const provider = requireProvider(name);
  session.result(provider, () => {
    session.fields([
      ["provider", provider.title],
      ["verification", verificationText(provider)],
      ["secret", provider.secret ?? "none"],
      ["dedupe", `${ruleText(provider.dedupe) ?? "none"} (${provider.dedupeNote})`],
      ["event type", ruleText(provider.eventType) ?? "none"],
      ["handshake", provider.handshake],
      ["answer", provider.answer],
      ["reference", provider.reference],
    ]);
    session.heading(provider.sourceFirst === null ? "The source" : `The source comes first: ${provider.sourceFirst}`);
    session.line(`  ${providerCommand(provider)}`);
    showSteps(session, provider, "the source's URL");
  });
}

/** What is left to do at the provider, and what is good to know. */
export function showSteps(session: Session, provider: Provider, url: string): void {
  session.heading(`At ${provider.title}`);
  for (const [index, step] of providerSteps(provider, url).entries()) session.line(`  ${index + 1}. ${step}`);
  session.heading("Good to know");
  for (const note of provider.notes) session.line(`  - ${note}`);
}
