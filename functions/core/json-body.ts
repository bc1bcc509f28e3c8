import { isJson } from "./json-source.js";

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * A body's JSON text, one character a byte; null when it is not JSON. It is read as Latin-1: JSON's own characters are
 * ASCII, so the structure is the same, and bytes that are not UTF-8 somewhere in the body do no harm elsewhere.
 */
export function jsonText(body: Buffer): string | null {
  const start = body.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
  const json = body.toString("latin1", start);
  return isJson(json) ? json : null;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
const plainAscii = /^"[ !#-[\]-~]*"$/;

/** The text that a string of a {@link jsonText} stands for, quotes included in `source`; null when it is not UTF-8. */
export function readText(source: string): string | null {
  if (plainAscii.test(source)) return source.slice(1, -1);
  try {
    return JSON.parse(utf8.decode(Buffer.from(source, "latin1"))) as string;
  } catch {
    return null;
  }
}
