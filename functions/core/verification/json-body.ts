/** The body as a JSON object, one byte order mark apart; null when it is anything else. */
export function readJsonObject(body: Buffer): Readonly<Record<string, unknown>> | null {
  const text = body.toString("utf8");
  try {
    return asObject(JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text));
  } catch {
    return null;
  }
}

/** The value as an object with members; null when it is anything else. */
export const asObject = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
