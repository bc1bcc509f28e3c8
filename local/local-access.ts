import type { IncomingMessage } from "node:http";

const localNames = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Guards what is signed on AWS but open locally. `/in/*` accepts any Host, so that a tunnel can publish it; all else
 * answers only to this machine's own names and to no page of another origin, so that neither the tunnel nor a web
 * page (DNS rebinding, cross-site requests) opens `/admin`. That a write says JSON is asked for by the function itself.
 * Gives the sentence of the 403.
 */
export function accessRefusal(request: IncomingMessage, rawPath: string, port: number): string | null {
  if (rawPath === "/in" || rawPath.startsWith("/in/")) return null;
  const { host, origin } = request.headers;
  if (!isLocal(host, port)) return `Host must be localhost:${port} for this path`;
  // What a page sends to a source travels on to the sink with its Origin, and does no harm there.
  if (rawPath === "/sink") return null;
  if (origin !== undefined && !isLocal(origin.replace(/^http:\/\//, ""), port)) {
    return "Requests of other origins are refused for this path";
  }
  return null;
}

/** Host with the port that we listen on; port 80 may be left out. */
function isLocal(host: string | undefined, port: number): boolean {
  const given = host?.toLowerCase();
  return localNames.some((name) => given === `${name}:${port}` || (port === 80 && given === name));
}
