import type { Command } from "commander";
import { addHandshakeOptions, type HandshakeOptions, handshakeOf } from "./handshake-options.js";
import type { Io } from "./io.js";
import { given, type JsonObject, readJsonObject } from "./json-document.js";
import { orNone, text, valueRule } from "./option-values.js";
import { addVerificationOptions, type VerificationOptions, verificationOf } from "./verification-options.js";

/** Options of `sources create` and `sources update`. Null: `none` was said. */
export interface SourceOptions extends VerificationOptions, HandshakeOptions {
  readonly description?: string | null;
  readonly dedupe?: object | null;
  readonly eventType?: object | null;
  readonly managedBy?: string | null;
  readonly document?: string;
}

const none = (use: "create" | "update"): string => (use === "update" ? "; none takes it away" : "");

export function addSourceOptions(command: Command, use: "create" | "update"): Command {
  const rule = orNone(valueRule);
  command.option("--description <text>", `for humans${none(use)}`, orNone(text));
  return addHandshakeOptions(addVerificationOptions(command, none(use)), none(use))
    .option("--dedupe <rule>", `the provider's event id: header:NAME or json:/POINTER${none(use)}`, rule)
    .option("--event-type <rule>", `the event's type: header:NAME or json:/POINTER${none(use)}`, rule)
    .option("--managed-by <name>", `who keeps it${none(use)}`, orNone(text))
    .option("--document <json>", "the request as JSON, @FILE or -; other options are laid over it");
}

/** The request's document: what was said, and nothing else. */
export async function sourceDocument(options: SourceOptions, io: Io): Promise<JsonObject> {
  const base = options.document === undefined ? {} : await readJsonObject(options.document, io);
  const { description, answer, dedupe, eventType, managedBy } = options;
  const verification = await verificationOf(options, io, base["verification"] as JsonObject | null | undefined);
  const handshake = await handshakeOf(options, io, base["handshake"] as JsonObject | null | undefined);
  return { ...base, ...given({ description, verification, handshake, answer, dedupe, eventType, managedBy }) };
}
