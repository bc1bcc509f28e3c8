const [percent, plus, space] = [0x25, 0x2b, 0x20];

/** Printable ASCII without `%` and `+`: decodes to itself. */
const plain = /^[ -$&-*,-~]*$/;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** More than any provider sends; without a bound a body full of separators would keep a function busy for seconds. */
const mostFields = 2_000;

/**
 * The fields of an `application/x-www-form-urlencoded` body: each name with its values in order. Null when a name or a
 * value is not UTF-8 (with replacement characters two different bodies would be one), and for more than 2,000 fields.
 */
export function readForm(body: Buffer): ReadonlyMap<string, readonly string[]> | null {
  const fields = new Map<string, string[]>();
  const pairs = body.toString("latin1").split("&", mostFields + 1);
  if (pairs.length > mostFields) return null;
  for (const pair of pairs.filter((each) => each !== "")) {
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

/** Bytes as Latin-1 to text: `+` is a space, `%` and two hex digits a byte, all else stands for itself. */
function decode(text: string): string | null {
  if (plain.test(text)) return text;
  const bytes = Buffer.from(text, "latin1");
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    const [high, low] = byte === percent ? [hexDigit(bytes[at + 1]), hexDigit(bytes[at + 2])] : [-1, -1];
    if (high >= 0 && low >= 0) {
      bytes[length++] = high * 16 + low;
      at += 2;
    } else {
      bytes[length++] = byte === plus ? space : (byte ?? 0);
    }
  }
  try {
    return utf8.decode(bytes.subarray(0, length));
  } catch {
    return null;
  }
}

/** The value of a hex digit's character; -1 for any other, and past the end. */
function hexDigit(character = 0): number {
  if (character >= 0x30 && character <= 0x39) return character - 0x30;
  const letter = character | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -1;
}
