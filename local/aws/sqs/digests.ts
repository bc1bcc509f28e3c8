import { createHash } from "node:crypto";
import type { MessageAttributes } from "./message.js";

export const md5Of = (text: string): string => createHash("md5").update(text, "utf8").digest("hex");

/** Transport types in the digest of attributes ("Calculating the MD5 message digest for message attributes"). */
const stringTransport = 1;
const binaryTransport = 2;

/** Hex MD5 over attributes sorted by name, as the SDKs compute it; null when there are none. */
export function md5OfAttributes(attributes: MessageAttributes): string | null {
  const names = Object.keys(attributes).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  if (names.length === 0) return null;
  const hash = createHash("md5");
  const add = (bytes: Buffer): void => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  };
  for (const name of names) {
    const attribute = attributes[name];
    if (attribute === undefined) continue;
    add(Buffer.from(name));
    add(Buffer.from(attribute.DataType));
    const binary = attribute.BinaryValue !== undefined;
    hash.update(Buffer.of(binary ? binaryTransport : stringTransport));
    add(binary ? Buffer.from(attribute.BinaryValue, "base64") : Buffer.from(attribute.StringValue ?? ""));
  }
  return hash.digest("hex");
}
