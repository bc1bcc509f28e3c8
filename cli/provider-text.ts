import type { ValueRule } from "../functions/core/model.js";
import type { Provider } from "../functions/core/providers/provider.js";
import { signsUrl } from "../functions/core/providers.js";

/** The one command that makes a source for a provider; a page of the documentation shows the same. */
export function providerCommand(provider: Provider, sourceId = provider.name): string {
  const { name, secret, handshake } = provider;
  const variable = name.toUpperCase().replaceAll("-", "_");
  return [
    `steadyhook sources create ${sourceId} --provider ${name}`,
    ...(secret === null ? [] : [`--secret env:${variable}_SECRET`]),
    ...(handshake === "meta" ? [`--verify-token env:${variable}_VERIFY_TOKEN`] : []),
    ...(handshake === "sns" ? ["--topic-arn arn:aws:sns:eu-central-1:111122223333:orders"] : []),
    ...(signsUrl(provider) ? [`--public-url https://hooks.example.com/in/${sourceId}`] : []),
  ].join(" ");
}

/** What to do at the provider, with the source's URL in its place. */
export const providerSteps = ({ steps }: Provider, url: string): readonly string[] =>
  steps.map((step) => step.replaceAll("{url}", url));

/** What the preset verifies, in a few words. */
export function verificationText({ verification }: Provider): string {
  if (verification === null) return "none: the provider signs nothing";
  const { scheme, hmac } = verification;
  if (hmac === undefined) return scheme;
  const { header, prefix, algorithm, encoding, content = "{body}" } = hmac;
  return `${scheme}: ${header} is ${prefix}HMAC-${algorithm.toUpperCase()} of ${content}, ${encoding}`;
}

export function ruleText(rule: ValueRule | null): string | null {
  if (rule === null) return null;
  return rule.from === "header" ? `header:${rule.name}` : `json:${rule.pointer}`;
}
