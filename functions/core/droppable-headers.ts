import type { Headers, Verification } from "./model.js";
import { credentialHeaders } from "./verification/credential-headers.js";

/** They govern the connection, the body's length, or the answer: the relay drops what comes in and sets its own. */
export const connectionHeaders: readonly string[] = [
  // Hop by hop (RFC 9110 §7.6.1) and whatever governs one connection.
  "connection",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
  "http2-settings",
  // The destination has its own host and the body its own length.
  "host",
  "content-length",
  // The relay reads the response itself, see `ownHeaders`.
  "accept-encoding",
];

/**
 * Inbound headers that end at this relay: they belong to the connection, the gateway or the source, not to the event.
 * Everything else is end-to-end, stored and forwarded.
 */
const endsHere: ReadonlySet<string> = new Set([
  ...connectionHeaders,
  // Cookies were set by this relay's domain or by nobody.
  "cookie",
  "cookie2",
  // What the gateway or a CDN in front of it adds: it describes the way to the relay, and a destination that trusts
  // it from its own proxy would be told something else by us.
  "forwarded",
  "via",
  "x-amzn-trace-id",
  "x-amz-cf-id",
]);

/** Prefixes of the same kinds; `steadyhook-` is ours alone, so that nobody can pretend to be the relay. */
const prefixesThatEndHere = ["proxy-", "x-forwarded-", "cloudfront-", "steadyhook-"];

/** Decides by lower-case name; `received` is needed for what its `connection` header names. */
export function endsAtRelay(received: Headers, verification: Verification | null): (name: string) => boolean {
  const named = connectionOptions(received);
  const credentials = credentialHeaders(verification);
  return (name) =>
    endsHere.has(name) ||
    named.has(name) ||
    credentials.includes(name) ||
    prefixesThatEndHere.some((prefix) => name.startsWith(prefix));
}

function connectionOptions(received: Headers): ReadonlySet<string> {
  const values = received.filter(([name]) => name.toLowerCase() === "connection").map(([, value]) => value);
  return new Set(values.flatMap((value) => value.split(",")).map((option) => option.trim().toLowerCase()));
}
