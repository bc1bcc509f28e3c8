import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";

/** Most bytes that a body is inflated to before anything about it is known: what the gateway would take uncompressed. */
const maxDecodedBytes = 6 * 1024 * 1024;

const options = { maxOutputLength: maxDecodedBytes };

const decoders: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  identity: (body) => body,
  gzip: (body) => gunzipSync(body, options),
  "x-gzip": (body) => gunzipSync(body, options),
  deflate: (body) => inflateSync(body, options),
  br: (body) => brotliDecompressSync(body, options),
};

/**
 * The body without its content coding (RFC 9110 §8.4.1). Null for a coding that is unknown or one of several, for
 * bytes that are not in that coding, and for more than 6 MiB.
 */
export function decodeContent(body: Buffer, coding: string): Buffer | null {
  const name = coding.toLowerCase();
  const decode = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
  try {
    return decode?.(body) ?? null;
  } catch {
    return null;
  }
}
