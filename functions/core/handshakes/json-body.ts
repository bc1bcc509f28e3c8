/** The members of a body that is a JSON object; null for any other body. One byte order mark is skipped. */
export function jsonMembers(body: Buffer): Readonly<Record<string, unknown>> | null {
  // Handshakes are small: what is larger is not parsed for them.
  if (body.length > largestHandshakeBytes) return null;
  try {
    const value: unknown = JSON.parse(body.toString("utf8").replace(/^\ufeff/, ""));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    // Not JSON: not a handshake either.
    return null;
  }
}

/** Largest body, in bytes, that is looked at as a handshake: an SNS message has at most 256 KB, others some hundred. */
const largestHandshakeBytes = 320 * 1024;
