import { type Command, Option } from "commander";
import { answerSchema } from "../functions/app/admin/handshake-schemas.js";
import { usageError } from "./cli-error.js";
import { offering } from "./completion/offered.js";
import type { Io } from "./io.js";
import { given, type JsonObject } from "./json-document.js";
import { orNone, text } from "./option-values.js";
import { readSecret } from "./secret-input.js";

/** Options that say how a source answers its provider. Null: `none` was said. */
export interface HandshakeOptions {
  readonly handshake?: string | null;
  readonly verifyToken?: string;
  readonly answer?: string;
}

const kinds = ["slack", "zoom", "twitch", "meta", "graph", "dropbox", "sns"] as const;

/** `none`: what the help says of options that can be taken away. */
export function addHandshakeOptions(command: Command, none: string): Command {
  return command
    .addOption(
      offering(
        new Option("--handshake <kind>", `what the provider asks first: ${kinds.join(", ")}${none}`).argParser(
          orNone(text),
        ),
        kinds,
      ),
    )
    .option("--verify-token <where>", "handshake meta: the token that Meta was given; env:NAME, @FILE or - (stdin)")
    .addOption(new Option("--answer <form>", "what an accepted event is answered with").choices(answerSchema.options));
}

/** The document's `handshake`, laid over the one given; undefined: nothing was said. */
export async function handshakeOf(
  { handshake: kind, verifyToken: where }: HandshakeOptions,
  io: Io,
  base: JsonObject | null | undefined,
): Promise<JsonObject | null | undefined> {
  if (kind === null && where !== undefined) throw usageError("--handshake none takes no --verify-token.");
  if (kind === null) return null;
  const verifyToken = where === undefined ? undefined : await readSecret(where, io);
  const said = given({ kind, verifyToken });
  return Object.keys(said).length === 0 ? undefined : { ...base, ...said };
}
