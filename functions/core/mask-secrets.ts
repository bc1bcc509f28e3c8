/**
 * What a destination echoes must not show a secret that it was trusted with: a signing secret, a secret header, or a
 * token in its URL.
 */

/** Shorter values are words; masking them would hide an answer instead of a secret. */
const leastSecretLength = 8;
/** The shortest beginning of a secret that is masked where a preview was cut in the middle of it. */
const leastCutLength = 4;

/**
 * Everything secret about a destination: the keys of its signing secrets, the values of its secret headers, and what in
 * its URL looks like a token, which is any value of its query, and parts of its path that mix letters and digits at
 * length.
 */
export function secretsOf(
  url: string,
  signingSecrets: readonly string[],
  secretHeaders: readonly string[] = [],
): readonly string[] {
  const destination = new URL(url);
  const keys = [
    ...signingSecrets.map((secret) => secret.replace(/^whsec_/, "")),
    ...secretHeaders.flatMap(credentialsIn),
  ];
  const tokens = destination.pathname.split("/").filter((part) => /^(?=.*\d)(?=.*[a-z]).{16,}$/i.test(part));
  const values = destination.search === "" ? [] : destination.searchParams.values();
  return [...keys, ...values, ...tokens].filter((secret) => secret.length >= leastSecretLength);
}

/** A header's value, the parts of one such as `Bearer …`, and the password of one such as `Basic …`. */
function credentialsIn(value: string): readonly string[] {
  const [, basic = ""] = /^basic +(.+)$/i.exec(value) ?? [];
  const password = Buffer.from(basic, "base64")
    .toString("utf8")
    .replace(/^[^:]*:/, "");
  return [...new Set([value, ...value.split(/[ ,;=]+/), password])];
}

/** The same number of bytes with `*` for each byte of a secret, also where only its beginning is left at the end. */
export function maskSecrets(bytes: Buffer, secrets: readonly string[]): Buffer {
  if (bytes.length < leastCutLength) return bytes;
  // One character a byte: what is no text stays as it is.
  const text = bytes.toString("latin1");
  const masked = secrets.flatMap(spellings).reduce(maskOne, text);
  return masked === text ? bytes : Buffer.from(masked, "latin1");
}

/** As it is, as JSON may write it, and as a URL does; one character a byte. */
function spellings(secret: string): readonly string[] {
  const utf8 = Buffer.from(secret);
  const asItIs = utf8.toString("latin1");
  return [asItIs, asItIs.replaceAll("/", "\\/"), encodeURIComponent(utf8.toString())];
}

function maskOne(text: string, secret: string): string {
  const whole = text.includes(secret) ? text.replaceAll(secret, "*".repeat(secret.length)) : text;
  const cutAt = beginningAtEnd(whole, secret);
  return cutAt < 0 ? whole : whole.slice(0, cutAt) + "*".repeat(whole.length - cutAt);
}

/** Where at the end of a text the longest beginning of a secret stands; -1: nowhere. */
function beginningAtEnd(text: string, secret: string): number {
  const last = text.length - leastCutLength;
  for (let at = Math.max(0, text.length - secret.length + 1); at <= last; at++) {
    if (text[at] === secret[0] && secret.startsWith(text.slice(at))) return at;
  }
  return -1;
}
