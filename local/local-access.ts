import type { IncomingMessage } from "node:http";

/** Why a request may not pass, as status and sentence. */
export interface Refusal {
  readonly status: 403 | 415;
  readonly message: string;
}

const localNames = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Guards what is signed on AWS but open locally. `/in/*` accepts any Host, so that a tunnel can publish it; all else
 * answers only to this machine's own names and to no page of another origin, so that neither the tunnel nor a web
 * page (DNS rebinding, cross-site requests) opens `/admin`.
 */
export function accessRefusal(request: IncomingMessage, rawPath: string, port: number): Refusal | null {
  if (rawPath === "/in" || rawPath.startsWith("/in/")) return null;
  const { host, origin } = request.headers;
  if (!isLocal(host, port)) return { status: 403, message: `Host must be localhost:${port} for this path` };
  // What a page sends to a source travels on to the sink with its Origin, and does no harm there.
  if (rawPath === "/sink") return null;
  if (origin !== undefined && !isLocal(origin.replace(/^http:\/\//, ""), port)) {
    return { status: 403, message: "Requests of other origins are refused for this path" };
  }
  if (rawPath.startsWith("/admin") && !isRead(request.method) && hasBody(request) && !isJson(request)) {
    return { status: 415, message: "Content-Type must be application/json" };
  }
  return null;
}

/** Host with the port that we listen on; port 80 may be left out. */
function isLocal(host: string | undefined, port: number): boolean {
  const given = host?.toLowerCase();
  return localNames.some((name) => given === `${name}:${port}` || (port === 80 && given === name));
}

const isRead = (method: string | undefined): boolean => method === "GET" || method === "HEAD" || method === "OPTIONS";

/** A content type announces a body, even an empty one: that is what an HTML form sends. */
function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers["content-length"];
  return (
    headers["content-type"] !== undefined ||
    headers["transfer-encoding"] !== undefined ||
    (length !== undefined && length !== "0")
  );
}

/** `application/json`, or a JSON format such as `application/merge-patch+json`. */
function isJson({ headers }: IncomingMessage): boolean {
  const type = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  return /^application\/([a-z0-9.-]+\+)?json$/.test(type);
}
