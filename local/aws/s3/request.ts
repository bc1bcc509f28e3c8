import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { AwsError } from "../aws-error.js";
import { type Unframed, unframe } from "./aws-chunked.js";
import { checkBody } from "./checksums.js";

/** One call, path style or virtual-host style. */
export interface S3Request {
  readonly method: string;
  /** Empty: the list of buckets. */
  readonly bucket: string;
  /** Empty: the bucket itself. */
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface S3Response {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Readable;
}

/**
 * Bucket and key of a request. `bucket.localhost` names the bucket by host, which the SDKs do for a host name unless
 * path style is forced; everything else is path style.
 */
export function locate(pathname: string, host: string): Pick<S3Request, "bucket" | "key"> {
  const virtual = /^(.+)\.localhost(:\d+)?$/.exec(host)?.[1];
  const path = decode(pathname.slice(1));
  if (virtual !== undefined) return { bucket: virtual, key: path };
  const slash = path.indexOf("/");
  return slash < 0 ? { bucket: path, key: "" } : { bucket: path.slice(0, slash), key: path.slice(slash + 1) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new AwsError("InvalidURI", "Couldn't parse the specified URI.");
  }
}

/** The bytes that were meant, checked against everything that the request says about them. */
export function readBody({ headers, body }: S3Request): {
  readonly body: Buffer;
  readonly checksums: Record<string, string>;
} {
  const said = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const framed = said["x-amz-content-sha256"]?.startsWith("STREAMING-") || codings(said).includes("aws-chunked");
  const unframed: Unframed = framed ? unframe(body) : { body, trailers: {} };
  const length = said["x-amz-decoded-content-length"];
  if (framed && length !== undefined && Number(length) !== unframed.body.length) {
    throw new AwsError(
      "IncompleteBody",
      "You did not provide the number of bytes specified by x-amz-decoded-content-length.",
    );
  }
  return { body: unframed.body, checksums: checkBody(unframed.body, { ...said, ...unframed.trailers }) };
}

/** Headers of a PUT that a GET gives back. */
export function headersToKeep(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = { "content-type": "binary/octet-stream" };
  for (const [name, value] of Object.entries(headers)) {
    if (keptNames.has(name) || name.startsWith("x-amz-meta-")) kept[name] = String(value);
  }
  const encoding = codings(kept)
    .filter((coding) => coding !== "aws-chunked")
    .join(",");
  delete kept["content-encoding"];
  return encoding === "" ? kept : { ...kept, "content-encoding": encoding };
}

const keptNames = new Set([
  "content-type",
  "content-encoding",
  "content-disposition",
  "content-language",
  "cache-control",
  "expires",
]);

const codings = ({ "content-encoding": text = "" }: Readonly<Record<string, string>>): string[] =>
  text
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "");
