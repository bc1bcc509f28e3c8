import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { EventContent, Headers } from "./model.js";

/**
 * Headers and body as one binary value, for the queue, the table and the bucket:
 *
 *     format (1 byte: 1 plain, 2 deflate-raw) | length of the headers (4 bytes) | headers (JSON, UTF-8) | body
 *
 * All that follows the format byte is compressed together when that makes it smaller.
 */

/** A packed content that cannot be unpacked: damaged, of an unknown format, or beyond {@link maxContentBytes}. */
export class UnreadableContentError extends Error {
  override readonly name = "UnreadableContentError";
}

/** Most bytes that unpacking yields, so that a damaged or forged value cannot fill the memory (a body is ≤ 6 MB). */
export const maxContentBytes = 12 * 1024 * 1024;

const plain = 1;
const deflated = 2;
const lengthBytes = 4;

/** Below this size deflate gains next to nothing. */
const leastWorthDeflating = 128;
/** Above this size speed counts for more than the last few percent, and a sample tells whether to try at all. */
const large = 64 * 1024;
const sampleBytes = 8 * 1024;
/** A sample that keeps more than this share of its size is of data that is compressed already. */
const incompressibleShare = 0.95;

/** Packs an event's content; {@link unpackContent} gives back the same headers and the same bytes. */
export function packContent(content: EventContent): Buffer {
  const headers = Buffer.from(JSON.stringify(content.headers));
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(headers.length);
  const bytes = Buffer.concat([length, headers, content.body]);
  const smaller = deflateWhenSmaller(bytes, content.body);
  return smaller === null ? Buffer.concat([Buffer.of(plain), bytes]) : Buffer.concat([Buffer.of(deflated), smaller]);
}

/** Unpacks what {@link packContent} made; throws {@link UnreadableContentError} for anything else. */
export function unpackContent(packed: Buffer): EventContent {
  const bytes = unwrap(packed);
  if (bytes.length < lengthBytes) throw new UnreadableContentError("content is cut short");
  const bodyStart = lengthBytes + bytes.readUInt32BE();
  if (bodyStart > bytes.length) throw new UnreadableContentError("content is cut short");
  return { headers: parseHeaders(bytes.toString("utf8", lengthBytes, bodyStart)), body: bytes.subarray(bodyStart) };
}

function deflateWhenSmaller(bytes: Buffer, body: Buffer): Buffer | null {
  if (bytes.length < leastWorthDeflating || looksCompressed(body)) return null;
  const smaller = deflateRawSync(bytes, { level: bytes.length > large ? 1 : 6 });
  return smaller.length < bytes.length ? smaller : null;
}

/** Tries the middle of a large body: its start is often a header that says little about the rest. */
function looksCompressed(body: Buffer): boolean {
  if (body.length <= large) return false;
  const start = (body.length - sampleBytes) >> 1;
  const sample = deflateRawSync(body.subarray(start, start + sampleBytes), { level: 1 });
  return sample.length > sampleBytes * incompressibleShare;
}

function unwrap(packed: Buffer): Buffer {
  const rest = packed.subarray(1);
  switch (packed[0]) {
    case plain:
      return rest;
    case deflated:
      return inflate(rest);
    default:
      throw new UnreadableContentError("content has an unknown format");
  }
}

function inflate(bytes: Buffer): Buffer {
  try {
    return inflateRawSync(bytes, { maxOutputLength: maxContentBytes, chunkSize: inflatedGuess(bytes.length) });
  } catch (error) {
    throw new UnreadableContentError(`content cannot be inflated: ${(error as Error).message}`);
  }
}

/** Room for most of what is unpacked: JSON of 1 KB is packed to half of it, larger ones to less. Node takes 16 KB each. */
const inflatedGuess = (packedBytes: number): number => Math.min(Math.max(4 * packedBytes, 2_048), large);

function parseHeaders(json: string): Headers {
  try {
    const headers: unknown = JSON.parse(json);
    if (Array.isArray(headers) && headers.every(isHeader)) return headers;
  } catch {
    // Said below: not JSON and not a header list are the same damage.
  }
  throw new UnreadableContentError("content holds no header list");
}

const isHeader = (value: unknown): value is readonly [string, string] =>
  Array.isArray(value) && value.length === 2 && typeof value[0] === "string" && typeof value[1] === "string";
