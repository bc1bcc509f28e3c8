import { headerValue } from "../../functions/core/header-list.js";
import type { Headers } from "../../functions/core/model.js";
import { usageError } from "../cli-error.js";
import { asHeaders, type SavedRequest, splitTarget } from "./saved-request.js";

const requestLine = /^([A-Z]{1,16}) (\S+)(?: HTTP\/\d(?:\.\d)?)?\r?$/;

/** Whether the text begins with a request line. */
export const isRawHttp = (bytes: Buffer): boolean => requestLine.test(firstLine(bytes));

/**
 * A request as it stands on the wire: a request line, headers, an empty line, the body's bytes. Line ends of the head
 * may be LF alone, as editors leave them. A body that is longer than Content-Length ends there.
 */
export function readRawHttp(bytes: Buffer): SavedRequest {
  const text = bytes.toString("latin1");
  const end = /\r?\n\r?\n/.exec(text);
  const head = end === null ? text : text.slice(0, end.index);
  const [first = "", ...lines] = head.split(/\r?\n/);
  const [, method = "", target = "/"] = requestLine.exec(first) ?? [];
  const headers = asHeaders(lines.filter((line) => line.trim() !== "").map(readHeaderLine));
  const rest = end === null ? Buffer.alloc(0) : bytes.subarray(end.index + end[0].length);
  return {
    format: "raw HTTP",
    method,
    ...splitTarget(target),
    headers,
    atMs: null,
    ...readBody(headers, rest),
  };
}

const firstLine = (bytes: Buffer): string => bytes.subarray(0, 20_000).toString("latin1").split("\n", 1)[0] ?? "";

function readHeaderLine(line: string): readonly [string, string] {
  const at = line.indexOf(":");
  if (at > 0) return [line.slice(0, at), Buffer.from(line.slice(at + 1), "latin1").toString("utf8")];
  throw usageError(
    "The request has a line in its head that is no header.",
    "A header is NAME: VALUE; an empty line ends the head.",
  );
}

function readBody(headers: Headers, rest: Buffer): Pick<SavedRequest, "body" | "doubts"> {
  if (/\bchunked\b/i.test(headerValue(headers, "transfer-encoding") ?? "")) {
    const body = withoutChunks(rest);
    return body === null
      ? { body: rest, doubts: ["It says chunked, and its body is not in chunks."] }
      : { body, doubts: [] };
  }
  const stated = Number(headerValue(headers, "content-length") ?? Number.NaN);
  if (!Number.isInteger(stated) || stated === rest.length) return { body: rest, doubts: [] };
  const doubt = `Content-Length says ${stated} bytes, the body has ${rest.length}`;
  return rest.length < stated
    ? { body: rest, doubts: [`${doubt}: it is not what was sent.`] }
    : { body: rest.subarray(0, stated), doubts: [`${doubt}: what is more is left out.`] };
}

/** RFC 9112 §7.1; null when it is not in that form. */
function withoutChunks(bytes: Buffer): Buffer | null {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    const [, hex] = /^([0-9a-fA-F]{1,8})(?:;.*)?$/.exec(lineEnd < 0 ? "" : bytes.toString("latin1", at, lineEnd)) ?? [];
    if (hex === undefined) return null;
    const [start, size] = [lineEnd + 2, Number.parseInt(hex, 16)];
    if (size === 0) return Buffer.concat(parts);
    if (start + size > bytes.length) return null;
    parts.push(bytes.subarray(start, start + size));
    at = start + size + 2;
  }
}
