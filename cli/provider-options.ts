import { type Command, Option } from "commander";
import type { Provider } from "../functions/core/providers/provider.js";
import { providerNames, providerOf, signsUrl, withProvider } from "../functions/core/providers.js";
import { usageError } from "./cli-error.js";
import { offering } from "./completion/offered.js";
import type { JsonObject } from "./json-document.js";
import { providerCommand, providerSteps } from "./provider-text.js";

export interface ProviderOptions {
  readonly provider?: string;
}

export function addProviderOption(command: Command, description: string): Command {
  const option = new Option("--provider <name>", `${description}: see \`steadyhook providers list\``);
  return command.addOption(offering(option, providerNames));
}

/** Throws a usage error for a name that there is no preset for. */
export function requireProvider(name: string): Provider {
  const provider = providerOf(name);
  if (provider !== null) return provider;
  const close = providerNames.filter((each) => each.startsWith(name.slice(0, 3).toLowerCase()));
  const fix = close.length === 0 ? `There are ${providerNames.join(", ")}.` : `Did you mean ${close.join(" or ")}?`;
  throw usageError(`There is no preset for a provider "${name}".`, fix);
}

/**
 * A source's document with a provider's preset under it. `url`: where the source will be, null when that is not known.
 * Throws a usage error for what the preset needs and nobody has said; the error says where at the provider it is found.
 */
export function provided(provider: Provider, given: JsonObject, url: string | null): JsonObject {
  const document = withProvider(provider, withPublicUrl(provider, given, url));
  const missing = missingOptions(provider, document);
  if (missing.length === 0) return document;
  const fix = [
    `Such as: ${providerCommand(provider)}`,
    `At ${provider.title}:`,
    ...providerSteps(provider, url ?? "the source's URL").map((step, index) => `  ${index + 1}. ${step}`),
  ];
  throw usageError(`A source for ${provider.title} needs ${missing.join(", and ")}.`, fix.join("\n"));
}

/** A relay that is reached by https is what the provider knows, unless a domain of its own stands before it. */
function withPublicUrl(provider: Provider, given: JsonObject, url: string | null): JsonObject {
  const verification = given["verification"];
  const unsaid = verification === undefined || (isObject(verification) && verification["publicUrl"] === undefined);
  if (!signsUrl(provider) || !unsaid || url?.startsWith("https://") !== true) return given;
  return { ...given, verification: { ...(verification as JsonObject | undefined), publicUrl: url } };
}

function missingOptions(provider: Provider, { verification, handshake }: JsonObject): string[] {
  const fields =
    isObject(verification) && verification["scheme"] === provider.verification?.scheme ? verification : null;
  const { kind, verifyToken } = isObject(handshake) ? handshake : {};
  return [
    ...(fields !== null && provider.secret !== null && fields["secrets"] === undefined
      ? [`--secret: ${provider.secret}`]
      : []),
    ...(fields !== null && signsUrl(provider) && fields["publicUrl"] === undefined
      ? ["--public-url: the source's https URL exactly as the provider has it, without query (it is signed)"]
      : []),
    ...(kind === "meta" && verifyToken === undefined ? ["--verify-token: a text of your own choice"] : []),
  ];
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
