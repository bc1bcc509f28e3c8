import { type Command, Option } from "commander";
import { schemeNames } from "../functions/core/verification/schemes.js";
import { usageError } from "./cli-error.js";
import { offering } from "./completion/offered.js";
import type { Io } from "./io.js";
import { given, type JsonObject } from "./json-document.js";
import { orNone, repeated, seconds, text } from "./option-values.js";
import { readSecret } from "./secret-input.js";

/** Options that say how a source verifies. Null: `none` was said. */
export interface VerificationOptions {
  readonly scheme?: string | null;
  readonly secret?: readonly string[];
  readonly onFailure?: string;
  readonly publicUrl?: string | null;
  readonly toleranceSeconds?: number | null;
  readonly secretEncoding?: string | null;
  readonly tokenHeader?: string;
  readonly topicArn?: string | null;
  readonly hmacHeader?: string;
  readonly hmacPrefix?: string;
  readonly hmacAlgorithm?: string;
  readonly hmacEncoding?: string;
  readonly hmacContent?: string;
  readonly hmacTimestampHeader?: string;
  readonly hmacTimestampUnit?: string;
  readonly hmacIdHeader?: string;
  readonly hmacCovers?: string;
}

/** `none`: what the help says of options that can be taken away. */
export function addVerificationOptions(command: Command, none: string): Command {
  const oneOf = (flags: string, meaning: string, values: readonly string[]) =>
    offering(new Option(flags, meaning).argParser(orNone(text)), values);
  return command
    .addOption(oneOf("--scheme <name>", `how requests are verified: ${schemeNames.join(", ")}${none}`, schemeNames))
    .option("--secret <where>", "shared secret or public key: env:NAME, @FILE or - (stdin); may be repeated", repeated)
    .addOption(new Option("--on-failure <what>", "unverified requests").choices(["quarantine", "reject"]))
    .option("--hmac-header <name>", "scheme hmac: header with the signature")
    .option("--hmac-prefix <text>", "scheme hmac: text before the digest, such as sha256=")
    .addOption(
      offering(new Option("--hmac-algorithm <name>", "scheme hmac: sha256 (default), sha1 or sha512"), [
        "sha256",
        "sha1",
        "sha512",
      ]),
    )
    .addOption(
      offering(new Option("--hmac-encoding <name>", "scheme hmac: hex (default), base64 or base64url"), [
        "hex",
        "base64",
        "base64url",
      ]),
    )
    .option("--hmac-content <template>", "scheme hmac: what is signed, such as {timestamp}.{body} (default {body})")
    .option("--hmac-timestamp-header <name>", "scheme hmac: header with {timestamp}")
    .addOption(
      offering(new Option("--hmac-timestamp-unit <name>", "scheme hmac: seconds (default) or milliseconds"), [
        "seconds",
        "milliseconds",
      ]),
    )
    .option("--hmac-id-header <name>", "scheme hmac: header with {id}")
    .addOption(
      offering(
        new Option(
          "--hmac-covers <what>",
          "scheme hmac: wire (default) or decoded, the body without its content-encoding",
        ),
        ["wire", "decoded"],
      ),
    )
    .option("--token-header <name>", "scheme header-token: header that holds the secret")
    .option("--topic-arn <arn>", `scheme sns: the only topic that is taken${none}`, orNone(text))
    .option(
      "--public-url <url>",
      `schemes that sign the URL: the source's https URL as the provider has it${none}`,
      orNone(text),
    )
    .option("--tolerance-seconds <n>", `how far a signed time may be off${none}`, orNone(seconds))
    .addOption(
      oneOf("--secret-encoding <name>", `schemes hmac, standard-webhooks: utf8, base64, base64url or hex${none}`, [
        "utf8",
        "base64",
        "base64url",
        "hex",
      ]),
    );
}

/** The document's `verification`, laid over the one given; undefined: nothing was said. */
export async function verificationOf(
  options: VerificationOptions,
  io: Io,
  base: JsonObject | null | undefined,
): Promise<JsonObject | null | undefined> {
  const { scheme, onFailure, secret = [] } = options;
  const hmac = hmacOf(options);
  const { publicUrl, toleranceSeconds, secretEncoding, tokenHeader, topicArn } = options;
  const secrets = secret.length === 0 ? undefined : await readSecrets(secret, io);
  const headerToken = tokenHeader === undefined ? undefined : { header: tokenHeader };
  const open = { toleranceSeconds, publicUrl, secretEncoding, hmac, headerToken, topicArn };
  const rest = given({ onFailure, secrets, ...open });
  if (scheme === null) {
    if (Object.keys(rest).length > 0) throw usageError("--scheme none takes no other option of a verification.");
    return null;
  }
  const said = { ...given({ scheme }), ...rest };
  return Object.keys(said).length === 0 ? undefined : { ...base, ...said };
}

function hmacOf(options: VerificationOptions): JsonObject | undefined {
  const { hmacHeader: header, hmacPrefix: prefix, hmacAlgorithm: algorithm, hmacEncoding: encoding } = options;
  const { hmacContent: content, hmacTimestampHeader: timestampHeader, hmacTimestampUnit: timestampUnit } = options;
  const { hmacIdHeader: idHeader, hmacCovers: covers } = options;
  const hmac = given({
    header,
    prefix,
    algorithm,
    encoding,
    content,
    timestampHeader,
    timestampUnit,
    idHeader,
    covers,
  });
  return Object.keys(hmac).length === 0 ? undefined : hmac;
}

async function readSecrets(given: readonly string[], io: Io): Promise<string[]> {
  const values: string[] = [];
  for (const each of given) values.push(await readSecret(each, io));
  return values;
}
