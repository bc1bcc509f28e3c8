import { validateHeaderValue } from "node:http";
import { isIP } from "node:net";
import type { OutboundRequest } from "../../app/ports.js";
import { headerName } from "../../core/header-list.js";
import { type Fault, faultOf } from "./errors.js";

/** Everything of a request but its body, in the form that `node:http` takes. */
export interface RequestHead {
  readonly scheme: "http" | "https";
  /** Host without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** Name for SNI and for the certificate check; empty for a literal address, which RFC 6066 §3 keeps out of SNI. */
  readonly serverName: string;
  readonly method: string;
  /** Request target: path and raw query. */
  readonly target: string;
  /** Flat list of names and values as they go on the wire. */
  readonly headers: string[];
}

/** Set by the sender alone; given from outside they would contradict the body or the connection. */
const ownHeaders: ReadonlySet<string> = new Set(["host", "content-length", "connection", "transfer-encoding"]);

/** Methods that do not anticipate content: an empty body goes without Content-Length (RFC 9110 §8.6). */
const bodylessMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "DELETE", "OPTIONS", "TRACE", "CONNECT"]);

/**
 * The first reason why the method or a header cannot be put on the wire; null when all can. Values are not shown. Node
 * looks at each of them itself: this says which one it has refused.
 */
export function headFault(request: OutboundRequest): Fault | null {
  if (!headerName.test(request.method)) return faultOf("invalid_header", "the method is not a valid HTTP token");
  for (const [name, value] of request.headers) {
    if (!headerName.test(name)) return faultOf("invalid_header", `${JSON.stringify(name)} is not a valid header name`);
    if (!isLegalValue(name, value)) return faultOf("invalid_header", `the value of ${name} has illegal characters`);
  }
  return null;
}

function isLegalValue(name: string, value: string): boolean {
  try {
    validateHeaderValue(name, wireValue(value));
    return true;
  } catch {
    return false;
  }
}

/**
 * Node writes one byte per character. Text with characters above U+00FF can only be UTF-8 that was decoded on its way,
 * so it goes out as those bytes again.
 */
function wireValue(value: string): string {
  return /[^\0-\xff]/.test(value) ? Buffer.from(value, "utf8").toString("latin1") : value;
}

/** Builds the head for a request to `url`, its own one. Host comes from that, whatever address is connected to. */
export function requestHead(request: OutboundRequest, url: URL): RequestHead {
  const scheme = url.protocol === "https:" ? "https" : "http";
  const hostname = url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
  return {
    scheme,
    hostname,
    port: url.port === "" ? (scheme === "https" ? 443 : 80) : Number(url.port),
    serverName: isIP(hostname) === 0 ? hostname.replace(/\.$/, "") : "",
    method: request.method,
    target: url.pathname + rawQuery(request.url, url),
    headers: wireHeaders(request, url.host),
  };
}

/** The query as given: `URL` would escape `'` and others that a receiver may have signed. */
function rawQuery(text: string, url: URL): string {
  if (!text.includes("?")) return "";
  const given = /^[^?#]*(\?[^#]*)/.exec(text)?.[1] ?? "";
  return /^[!-~]*$/.test(given) ? given : url.search;
}

function wireHeaders({ headers, body, method }: OutboundRequest, host: string): string[] {
  const wire = ["host", host];
  for (const [name, value] of headers) {
    if (!ownHeaders.has(name.toLowerCase())) wire.push(name, wireValue(value));
  }
  if (body.length > 0 || !bodylessMethods.has(method)) wire.push("content-length", String(body.length));
  return wire;
}
