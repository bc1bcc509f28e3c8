import { usageError } from "./cli-error.js";
import type { Io } from "./io.js";
import { given, type JsonObject, readInputFile } from "./json-document.js";
import { readSecret } from "./secret-input.js";

/** Options that say what goes out with a subscription's requests: its own headers, and its TLS. */
export interface RequestOptions {
  readonly header?: readonly string[];
  readonly secretHeader?: readonly string[];
  readonly clientCertificate?: string | null;
  readonly clientKey?: string;
  readonly ca?: string | null;
}

/** `x-team=billing`, `x-team=none` to take it away; of a secret one what stands after the name is where it is. */
export async function headersOf({ header = [], secretHeader = [] }: RequestOptions, io: Io): Promise<JsonObject> {
  const entries: [string, unknown][] = header.map((each) => {
    const [name, value] = parts(each);
    return [name, value === "none" ? null : value];
  });
  for (const each of secretHeader) {
    const [name, where] = parts(each);
    entries.push([name, { secret: true, value: await readSecret(where, io) }]);
  }
  return Object.fromEntries(entries);
}

function parts(text: string): readonly [name: string, value: string] {
  const [, name, value] = /^([^=\s]+)=(.*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw usageError("A header is given as NAME=VALUE, a secret one as NAME=env:VARIABLE, NAME=@FILE or NAME=-.");
}

export async function tlsOf({ clientCertificate, clientKey, ca }: RequestOptions, io: Io): Promise<JsonObject> {
  return given({
    certificate: await pemOf(clientCertificate),
    key: clientKey === undefined ? undefined : await readSecret(clientKey, io),
    ca: await pemOf(ca),
  });
}

/** A certificate is no secret: its file may be named as it is, too. */
async function pemOf(file: string | null | undefined): Promise<string | null | undefined> {
  if (file === null || file === undefined) return file;
  return (await readInputFile(file.replace(/^@/, ""))).toString("utf8");
}
