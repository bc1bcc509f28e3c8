import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { providerCommand, providerSteps, ruleText, verificationText } from "../../cli/provider-text.js";
import type { Provider } from "../../functions/core/providers/provider.js";
import { providers, signsUrl } from "../../functions/core/providers.js";
import { schemeOf } from "../../functions/core/verification/schemes.js";

/** The pages as they are published; `npx vitest run test/cli/provider-pages.test.ts -u` writes them. */

const codeOr = (text: string | null, other: string): string => (text === null ? other : `\`${text}\``);

function settings(provider: Provider): readonly string[] {
  const { verification, secret, dedupe, dedupeNote, eventType, handshake, answer } = provider;
  const scheme = verification === null ? null : schemeOf(verification.scheme);
  const how =
    verification?.hmac === undefined ? (scheme?.summary ?? "the provider signs nothing") : verificationText(provider);
  const tolerance = verification?.hmac === undefined ? scheme?.defaultToleranceSeconds : null;
  return [
    `| verification | ${codeOr(verification?.scheme ?? null, "**none**")}: ${how.replace(/^hmac: /, "")} |`,
    ...(secret === null ? [] : [`| secret | ${secret} |`]),
    ...(signsUrl(provider)
      ? ["| URL | signed: `--public-url` is the source's https URL as the provider has it |"]
      : []),
    ...(tolerance == null ? [] : [`| time | signed; may be off by ${tolerance} s, \`--tolerance-seconds\` |`]),
    `| dedupe | ${codeOr(ruleText(dedupe), "none")}: ${dedupeNote} |`,
    `| event type | ${codeOr(ruleText(eventType), "none")} |`,
    ...(handshake === null
      ? []
      : [`| handshake | \`${handshake}\`: answered by the relay, see [handshakes](../ingress.md#handshakes) |`]),
    `| answer | \`${answer}\`, see [answers](../ingress.md#what-an-accepted-event-is-answered-with) |`,
  ];
}

function page(provider: Provider): string {
  const { name, title, sourceFirst, notes, reference } = provider;
  const source = [
    "## The source",
    "",
    ...(sourceFirst === null ? [] : [`First of all: ${sourceFirst}`, ""]),
    "```sh",
    `npx ${providerCommand(provider)}`,
    "```",
    "",
    "Options that you give win over the preset; in a [file for `apply`](../cli.md#apply) it is",
    `\`"provider": "${name}"\`. The URL is printed, and is \`https://YOUR-RELAY/in/${name}\`.`,
    "",
  ];
  const there = [
    `## At ${title}`,
    "",
    ...providerSteps(provider, "the source's URL").map((step, index) => `${index + 1}. ${step}`),
    "",
  ];
  return [
    `# ${title}`,
    "",
    ...(sourceFirst === null ? [...there, ...source] : [...source, ...there]),
    "## What the preset sets",
    "",
    "| | |",
    "|---|---|",
    ...settings(provider),
    "",
    "## Good to know",
    "",
    ...notes.map((note) => `- ${note}`),
    "",
    "## When it is not verified",
    "",
    "Save one request (raw HTTP, curl, HAR, an event of API Gateway) and ask why:",
    "",
    "```sh",
    `npx steadyhook sources verify ${name} --request request.http`,
    "```",
    "",
    `Written from <${reference}>.`,
    "",
  ].join("\n");
}

const index = [
  "# Providers",
  "",
  "One command per provider makes a source that verifies, recognises repeated events, knows their types and answers as the",
  "provider wants: `npx steadyhook sources create ID --provider NAME --secret env:NAME`. The preset is laid under what you",
  "say, by the command line and by [`apply`](../cli.md#apply); the relay itself knows no providers, only what is set.",
  "`npx steadyhook providers show NAME` prints these pages, `npx steadyhook sources verify` says why a request is not verified.",
  "",
  "| preset | provider | verification | handshake | dedupe | event type |",
  "|---|---|---|---|---|---|",
  ...providers.map(
    ({ name, title, verification, handshake, dedupe, eventType }) =>
      `| [\`${name}\`](${name}.md) | ${title} | ${verification?.scheme ?? "**none**"} | ${handshake ?? ""} | ${ruleText(dedupe) ?? ""} | ${ruleText(eventType) ?? ""} |`,
  ),
  "",
  "Every provider wants a public https URL with a certificate of a public authority; API Gateway has both. For any other",
  "provider choose a [scheme](../http-api.md#verification-schemes): `standard-webhooks` where its requests have",
  "`webhook-signature` or `svix-signature`, else `hmac` with its header and template.",
  "",
  "Without a preset, since something that they ask for is missing here: **Calendly** (a list `t=…,v1=…` in a header of its",
  "own), **Intercom** (what it asks when its URL is saved could not be established), **Asana** (its secret comes in the",
  "handshake), interactions of **Discord** (content at once).",
  "",
].join("\n");

describe("docs/providers", () => {
  it.each(providers.map((each) => [each.name, each] as const))(
    "has the page of %s as its preset is",
    async (name, provider) => {
      await expect(page(provider)).toMatchFileSnapshot(`../../docs/providers/${name}.md`);
    },
  );

  it("has an index, and no page without a preset", async () => {
    await expect(index).toMatchFileSnapshot("../../docs/providers/README.md");
    const pages = readdirSync(new URL("../../docs/providers", import.meta.url));
    expect(new Set(pages)).toEqual(new Set([...providers.map(({ name }) => `${name}.md`), "README.md"]));
  });
});
