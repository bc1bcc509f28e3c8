import { parse } from "../../functions/app/admin/parse.js";
import { AdminProblem } from "../../functions/app/admin/problem.js";
import { providerOf, withProvider } from "../../functions/core/providers.js";
import { CliError, type WrongField } from "../cli-error.js";
import { type JsonObject, parseObject } from "../json-document.js";
import { type ApplyFile, applyFileSchema } from "./apply-schema.js";

/** The checked file; throws what is wrong with it, each field by its path in the file. */
export function readApplyFile(bytes: Buffer, name: string): ApplyFile {
  const file = checked(withProviders(parsed(bytes, name)), name);
  const wrong = [...repetitions(file), ...missingSchemes(file)];
  if (wrong.length > 0) throw invalidFile(name, wrong);
  return file;
}

function parsed(bytes: Buffer, name: string): unknown {
  try {
    return parseObject(bytes, name);
  } catch (error) {
    // What is wrong is the file, not the command line.
    if (error instanceof CliError) throw new CliError(error.message, { code: "invalid_file" });
    throw error;
  }
}

function checked(value: unknown, name: string): ApplyFile {
  try {
    return parse(applyFileSchema, value);
  } catch (error) {
    if (error instanceof AdminProblem) throw invalidFile(name, error.details.errors ?? []);
    throw error;
  }
}

export const invalidFile = (name: string, fields: readonly WrongField[]): CliError =>
  new CliError(`${name} is not valid; nothing was changed.`, { code: "invalid_file", fields });

/** The file with the presets of its providers laid under what each source says. Nothing is checked here. */
function withProviders(file: unknown): unknown {
  const { sources } = file as { readonly sources?: unknown };
  return Array.isArray(sources) ? { ...(file as object), sources: sources.map(withPreset) } : file;
}

function withPreset(source: unknown): unknown {
  if (!isObject(source) || typeof source["provider"] !== "string") return source;
  const provider = providerOf(source["provider"]);
  return provider === null ? source : withProvider(provider, source);
}

function missingSchemes({ sources }: ApplyFile): readonly WrongField[] {
  return sources.flatMap(({ verification }, index) =>
    verification === null || verification.scheme !== undefined
      ? []
      : [{ field: `sources[${index}].verification.scheme`, reason: "is required, or a provider beside it" }],
  );
}

/** What is found again by its id or name may stand in the file once. */
function repetitions({ sources }: ApplyFile): readonly WrongField[] {
  const ofSources = repeatedIn(sources.map(({ sourceId }) => sourceId)).map((index) => `sources[${index}].sourceId`);
  const ofSubscriptions = sources.flatMap(({ subscriptions }, index) =>
    repeatedIn(subscriptions.map(({ name }) => name)).map((inner) => `sources[${index}].subscriptions[${inner}].name`),
  );
  return [...ofSources, ...ofSubscriptions].map((field) => ({ field, reason: "stands in the file twice" }));
}

const repeatedIn = (names: readonly string[]): readonly number[] =>
  names.flatMap((name, index) => (names.indexOf(name) < index ? [index] : []));

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
