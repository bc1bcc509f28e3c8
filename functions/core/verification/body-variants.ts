import { headerValue } from "../header-list.js";
import { decodeBase64 } from "../strict-decoding.js";
import { decodeContent } from "./content-coding.js";
import type { VerifiableRequest } from "./scheme.js";

/** Another body that the provider may have signed, and how it comes from the one at hand. */
export interface BodyVariant {
  /** After "it verifies", e.g. `without the line break at its end`. */
  readonly what: string;
  readonly body: Buffer;
}

const newline = 0x0a;
const byteOrderMark = Buffer.of(0xef, 0xbb, 0xbf);

/**
 * What is usually done to a body between its signature and a verification that fails: by an editor, a copy from a log,
 * or a service that parses JSON and writes it again. Variants that equal the body itself are left out.
 */
export function bodyVariants({ body, headers }: VerifiableRequest): readonly BodyVariant[] {
  const coding = headerValue(headers, "content-encoding");
  const found: readonly (readonly [what: string, body: Buffer | null])[] = [
    ["without the line break at its end", withoutLineEnd(body)],
    ["with a line break at its end", Buffer.concat([body, Buffer.of(newline)])],
    ["without the white space around it", latin1(body, (text) => text.trim())],
    ["with LF in place of CRLF", latin1(body, (text) => text.replaceAll("\r\n", "\n"))],
    ["with CRLF in place of LF", latin1(body, (text) => text.replaceAll(/\r?\n/g, "\r\n"))],
    ["without its byte order mark", withoutMark(body)],
    ["without its content-encoding", coding === null ? null : decodeContent(body, coding)],
    ["decoded from base64", decodeBase64(body.toString("latin1").trim())],
    ...writtenAgain(body),
  ];
  return found.flatMap(([what, other]) => (other === null || other.equals(body) ? [] : [{ what, body: other }]));
}

function withoutLineEnd(body: Buffer): Buffer {
  return latin1(body, (text) => text.replace(/\r?\n$/, ""));
}

function withoutMark(body: Buffer): Buffer | null {
  return body.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? body.subarray(byteOrderMark.length) : null;
}

/** Every byte is one character of Latin-1, and stays it. */
const latin1 = (body: Buffer, change: (text: string) => string): Buffer =>
  Buffer.from(change(body.toString("latin1")), "latin1");

/** The forms in which JSON libraries write the same value. */
function writtenAgain(body: Buffer): readonly (readonly [what: string, body: Buffer])[] {
  const value = parsed(body);
  if (value === undefined) return [];
  const compact = JSON.stringify(value);
  const spaced = JSON.stringify(value, null, 1)
    .replaceAll(/\n */g, " ")
    .replaceAll(/([[{]) | ([\]}])/g, "$1$2");
  const forms: readonly (readonly [string, string])[] = [
    ["as compact JSON", compact],
    ["as compact JSON with / written as \\/", compact.replaceAll("/", "\\/")],
    ["as compact JSON in ASCII (\\u… for all else)", compact.replaceAll(/[\u0080-\uffff]/g, escaped)],
    ["as JSON with a space after comma and colon", spaced],
    ["as JSON indented by two spaces", JSON.stringify(value, null, 2)],
  ];
  return forms.map(([what, text]) => [what, Buffer.from(text)]);
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8").replace(/^\ufeff/, ""));
  } catch {
    return undefined;
  }
}
