/** Characters that a path may carry as they are (RFC 3986 pchar and "/"), `%` only before two hex digits. */
const illegalInPath = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]|%(?![0-9A-Fa-f]{2})/gu;
/** A raw query keeps every visible ASCII character but `#`; spaces, controls and non-ASCII are escaped. */
const illegalInQuery = /[^!-~]|#/gu;

/**
 * The URL of one attempt. The raw query is appended byte for byte; the suffix, which the gateway hands over decoded,
 * only when the subscription asks for it. Only what is illegal is escaped: a decoded `?` or `#` in the suffix never
 * becomes URL syntax, and dot segments cannot climb out of the subscription's own path.
 */
export function destinationUrl(base: string, event: { suffix: string; query: string }, forwardSuffix: boolean): string {
  const url = new URL(base);
  const suffix = forwardSuffix ? legalSuffix(event.suffix) : "";
  const path = suffix === "" ? url.pathname : url.pathname.replace(/\/$/, "") + suffix;
  const query = [url.search.slice(1), event.query.replaceAll(illegalInQuery, escapeBytes)].filter(
    (part) => part !== "",
  );
  return `${url.origin}${path}${query.length > 0 ? `?${query.join("&")}` : ""}`;
}

/** Escaped, and with its dot segments resolved inside itself. */
function legalSuffix(suffix: string): string {
  if (suffix === "") return "";
  return new URL(`http://suffix.invalid${suffix.replaceAll(illegalInPath, escapeBytes)}`).pathname;
}

function escapeBytes(text: string): string {
  return [...Buffer.from(text, "utf8")].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}
