import { type Command, Option } from "commander";
import { usageError } from "./cli-error.js";
import type { Io } from "./io.js";
import { type JsonObject, readJsonObject } from "./json-document.js";
import { orNone, repeated, text, valueRule } from "./option-values.js";
import { readSecret } from "./secret-input.js";

/** Options of `sources create` and `sources update`. Null: `none` was said. */
export interface SourceOptions {
  readonly description?: string | null;
  readonly scheme?: string | null;
  readonly secret?: readonly string[];
  readonly onFailure?: string;
  readonly hmacHeader?: string;
  readonly hmacPrefix?: string;
  readonly hmacAlgorithm?: string;
  readonly hmacEncoding?: string;
  readonly dedupe?: object | null;
  readonly eventType?: object | null;
  readonly managedBy?: string | null;
  readonly document?: string;
}

const none = (use: "create" | "update"): string => (use === "update" ? "; none takes it away" : "");

export function addSourceOptions(command: Command, use: "create" | "update"): Command {
  const rule = orNone(valueRule);
  return command
    .option("--description <text>", `for humans${none(use)}`, orNone(text))
    .option("--scheme <name>", `how requests are verified: github, hmac or iam${none(use)}`, orNone(text))
    .option("--secret <where>", "shared secret: env:NAME, @FILE or - (stdin); may be repeated", repeated)
    .addOption(new Option("--on-failure <what>", "unverified requests").choices(["quarantine", "reject"]))
    .option("--hmac-header <name>", "scheme hmac: header with the signature")
    .option("--hmac-prefix <text>", "scheme hmac: text before the digest, such as sha256=")
    .option("--hmac-algorithm <name>", "scheme hmac: sha256 (default), sha1 or sha512")
    .option("--hmac-encoding <name>", "scheme hmac: hex (default) or base64")
    .option("--dedupe <rule>", `the provider's event id: header:NAME or json:/POINTER${none(use)}`, rule)
    .option("--event-type <rule>", `the event's type: header:NAME or json:/POINTER${none(use)}`, rule)
    .option("--managed-by <name>", `who keeps it${none(use)}`, orNone(text))
    .option("--document <json>", "the request as JSON, @FILE or -; other options are laid over it");
}

/** The request's document: what was said, and nothing else. */
export async function sourceDocument(options: SourceOptions, io: Io): Promise<JsonObject> {
  const base = options.document === undefined ? {} : await readJsonObject(options.document, io);
  const { description, dedupe, eventType, managedBy } = options;
  const verification = await verificationOf(options, io, base["verification"] as JsonObject | null | undefined);
  return { ...base, ...given({ description, verification, dedupe, eventType, managedBy }) };
}

async function verificationOf(
  options: SourceOptions,
  io: Io,
  base: JsonObject | null | undefined,
): Promise<JsonObject | null | undefined> {
  const { scheme, onFailure, secret = [] } = options;
  const { hmacHeader: header, hmacPrefix: prefix, hmacAlgorithm: algorithm, hmacEncoding: encoding } = options;
  const hmac = given({ header, prefix, algorithm, encoding });
  const secrets = secret.length === 0 ? undefined : await readSecrets(secret, io);
  const rest = given({ onFailure, secrets, hmac: Object.keys(hmac).length === 0 ? undefined : hmac });
  if (scheme === null) {
    if (Object.keys(rest).length > 0) throw usageError("--scheme none takes no other option of a verification.");
    return null;
  }
  const said = { ...given({ scheme }), ...rest };
  return Object.keys(said).length === 0 ? undefined : { ...base, ...said };
}

async function readSecrets(given: readonly string[], io: Io): Promise<string[]> {
  const values: string[] = [];
  for (const each of given) values.push(await readSecret(each, io));
  return values;
}

/** The fields that have a value; null is one. */
export const given = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
