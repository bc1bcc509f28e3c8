/**
 * Strict decoding, before anything is compared: Node's own decoders skip what they do not know, so that two texts
 * could be one digest and garbage an empty key.
 */

/** Hex in either case; null unless every character is one. */
export function decodeHex(text: string): Buffer | null {
  return text.length % 2 === 0 && /^[0-9a-fA-F]*$/.test(text) ? Buffer.from(text, "hex") : null;
}

/** Standard base64 with padding in its one canonical spelling; null for anything else (RFC 4648 §3.5). */
export function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : null;
}

/** The URL-safe alphabet with or without padding, in its one canonical spelling of either; null for anything else. */
export function decodeBase64Url(text: string): Buffer | null {
  const bytes = Buffer.from(text, "base64url");
  const spelled = bytes.toString("base64url");
  const padded = spelled.padEnd(Math.ceil(spelled.length / 4) * 4, "=");
  return text === spelled || text === padded ? bytes : null;
}
