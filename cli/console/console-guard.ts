import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** The header that the page sends the token of this start in. A browser sends it to no other site unasked. */
export const tokenHeader = "x-steadyhook-console";

/** Names of this machine that the console answers to. */
const names = ["127.0.0.1", "localhost"];

/**
 * Keeps everybody but the page of this start away from calls that are signed with somebody's credentials: a name that was
 * made to point here (DNS rebinding) by its Host, a page of another site by its Origin and by what the browser says of
 * it, and every other program that can reach the port by the token. Reading is guarded like writing. Gives the sentence
 * of the 403; null: let it in.
 */
export function consoleRefusal(headers: IncomingHttpHeaders, path: string, port: number, token: string): string | null {
  const hosts = names.map((name) => `${name}:${port}`);
  const host = headers.host?.toLowerCase() ?? "";
  if (!hosts.includes(host)) return `Host must be ${hosts.join(" or ")}.`;
  if (headers.origin !== undefined && headers.origin !== `http://${host}`) {
    return "Requests of other origins are refused.";
  }
  if (isPage(path)) return null;
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin") return "Requests of other sites are refused.";
  if (!isEqual(headers[tokenHeader], token)) {
    return "The token of this start is missing: open the URL that `steadyhook console` printed.";
  }
  return null;
}

/** Files that hold nothing of the relay. */
const isPage = (path: string): boolean =>
  path === "/" || path === "/console" || (path.startsWith("/console/") && path !== "/console/relay.json");

/** In a time that does not depend on where they differ. */
function isEqual(given: string | readonly string[] | undefined, token: string): boolean {
  const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
  return typeof given === "string" && timingSafeEqual(hash(given), hash(token));
}
