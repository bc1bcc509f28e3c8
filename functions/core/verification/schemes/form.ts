const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The fields of an `application/x-www-form-urlencoded` body: each name with its values in order. Null when a name or a
 * value is not UTF-8: with replacement characters two different bodies would be one.
 */
export function readForm(body: Buffer): ReadonlyMap<string, readonly string[]> | null {
  const fields = new Map<string, string[]>();
  for (const pair of body.toString("latin1").split("&")) {
    if (pair === "") continue;
    const equals = pair.includes("=") ? pair.indexOf("=") : pair.length;
    const name = decode(pair.slice(0, equals));
    const value = decode(pair.slice(equals + 1));
    if (name === null || value === null) return null;
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  }
  return fields;
}

function decode(text: string): string | null {
  const bytes = text
    .replaceAll("+", " ")
    .replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  try {
    return utf8.decode(Buffer.from(bytes, "latin1"));
  } catch {
    return null;
  }
}
