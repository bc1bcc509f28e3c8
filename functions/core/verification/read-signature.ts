import { headerValue } from "../header-list.js";
import { decodeBase64, decodeBase64Url, decodeHex } from "../strict-decoding.js";
import type { Walk } from "./scheme.js";

/** How bytes are written in a header. */
export type Encoding = "hex" | "base64" | "base64url";

const decoders: Readonly<Record<Encoding, (text: string) => Buffer | null>> = {
  hex: decodeHex,
  base64: decodeBase64,
  base64url: decodeBase64Url,
};

/** Digest length in bytes. */
export const digestBytes: Readonly<Record<"sha1" | "sha256" | "sha512", number>> = { sha1: 20, sha256: 32, sha512: 64 };

/** Most signatures of one header that are compared: room for every live secret twice, not for a header full of them. */
const mostSignatures = 20;

/** A header's value; null when it is missing. `what` names it in the refusal, e.g. `signature`. */
export function readHeader({ request, trace }: Walk, name: string, what = "signature"): string | null {
  const value = headerValue(request.headers, name);
  const step = `header ${name.toLowerCase()}`;
  if (value === null) return trace.fail(step, "is missing", `missing ${what} header`);
  trace.pass(step, "is present");
  return value;
}

/** What follows an exact prefix; null when the text does not start with it. */
export function cutPrefix({ trace }: Walk, text: string, prefix: string): string | null {
  if (prefix === "") return text;
  const reason = `signature does not start with ${prefix}`;
  if (!text.startsWith(prefix)) return trace.fail("prefix", `is not ${prefix}`, reason);
  trace.pass("prefix", `is ${prefix}`);
  return text.slice(prefix.length);
}

/** One signature, strictly decoded; null unless it has exactly this many bytes. `kind` is e.g. `sha256 digest`. */
export function decodeSignature(
  { trace }: Walk,
  text: string,
  encoding: Encoding,
  bytes: number,
  kind: string,
): Buffer | null {
  const signature = decodeExactly(text, encoding, bytes);
  if (signature !== null) {
    trace.pass("encoding", `${encoding} of ${bytes} bytes`);
    return signature;
  }
  const detail = `is not ${encoding} of ${bytes} bytes: ${text.length} characters`;
  return trace.fail("encoding", detail, `signature is not one ${kind} in ${encoding}`);
}

/** Those of a list that can be signatures; null when there is none. */
export function decodeSignatures(
  { trace }: Walk,
  texts: readonly string[],
  encoding: Encoding,
  bytes: number,
  kind: string,
): Buffer[] | null {
  const usable = usableSignatures(texts, encoding, bytes);
  const detail = `${usable.length} of ${texts.length} listed are ${encoding} of ${bytes} bytes`;
  if (usable.length === 0) return trace.fail("encoding", detail, `no ${kind} in ${encoding} is listed`);
  trace.pass("encoding", detail);
  return usable;
}

/** An unusable one among good ones does no harm. */
export const usableSignatures = (texts: readonly string[], encoding: Encoding, bytes: number): Buffer[] =>
  texts.flatMap((text) => decodeExactly(text, encoding, bytes) ?? []).slice(0, mostSignatures);

function decodeExactly(text: string, encoding: Encoding, bytes: number): Buffer | null {
  const decoded = decoders[encoding](text);
  return decoded?.length === bytes ? decoded : null;
}
