import { AwsError } from "../aws-error.js";

/** A request body with its framing removed. */
export interface Unframed {
  readonly body: Buffer;
  /** Names in lower case; the checksum that a client computes while it streams comes here. */
  readonly trailers: Readonly<Record<string, string>>;
}

const lineEnd = Buffer.from("\r\n");

/**
 * Removes the `aws-chunked` framing (STREAMING-… payloads): `size[;chunk-signature=…]`, data, …, a chunk of size 0, and
 * trailers. Signatures are not checked: the local endpoint checks none.
 */
export function unframe(framed: Buffer): Unframed {
  const chunks: Buffer[] = [];
  let at = 0;
  const nextLine = (): string => {
    const end = framed.indexOf(lineEnd, at);
    if (end < 0) throw incomplete();
    const line = framed.toString("latin1", at, end);
    at = end + lineEnd.length;
    return line;
  };
  for (;;) {
    const size = sizeOf(nextLine());
    if (size === 0) return { body: Buffer.concat(chunks), trailers: readTrailers(framed.toString("latin1", at)) };
    if (at + size + lineEnd.length > framed.length) throw incomplete();
    chunks.push(framed.subarray(at, at + size));
    at += size + lineEnd.length;
  }
}

function sizeOf(line: string): number {
  const digits = /^([0-9a-f]{1,8})(;.*)?$/i.exec(line)?.[1];
  if (digits === undefined) throw incomplete();
  return Number.parseInt(digits, 16);
}

function readTrailers(text: string): Record<string, string> {
  const trailers: Record<string, string> = {};
  for (const line of text.split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) trailers[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim();
  }
  return trailers;
}

const incomplete = (): AwsError => new AwsError("IncompleteBody", "The aws-chunked body ends early or is malformed.");
