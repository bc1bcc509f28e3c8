import { createPublicKey, type KeyObject } from "node:crypto";
import type { SecretEncoding } from "../model.js";
import { decodeBase64, decodeBase64Url, decodeHex } from "../strict-decoding.js";

/** The key that a secret's text stands for; null when it is not in that encoding. */
export function decodeKey(text: string, encoding: SecretEncoding): Buffer | null {
  if (encoding === "utf8") return Buffer.from(text, "utf8");
  if (encoding === "hex") return decodeHex(text);
  return encoding === "base64" ? decodeBase64(text) : decodeBase64Url(text);
}

/** What stands before the 32 bytes of an Ed25519 key in its X.509 form (RFC 8410 §10.1). */
const ed25519Header = "302a300506032b6570032100";

/** An Ed25519 public key from its 32 bytes; null for any other number of them. */
export function ed25519Key(bytes: Buffer | null): KeyObject | null {
  return bytes?.length === 32 ? publicKey(Buffer.concat([Buffer.from(ed25519Header, "hex"), bytes])) : null;
}

/** The same for an uncompressed point on P-256 (RFC 5480 §2): it says the curve, faster than the key's details do. */
const p256Header = "3059301306072a8648ce3d020106082a8648ce3d030107034200";

/** An ECDSA public key on P-256 from the base64 of its X.509 form; null for anything else. */
export function p256Key(base64: string): KeyObject | null {
  const der = decodeBase64(base64);
  return der?.subarray(0, p256Header.length / 2).toString("hex") === p256Header ? publicKey(der) : null;
}

function publicKey(der: Buffer): KeyObject | null {
  try {
    return createPublicKey({ key: der, format: "der", type: "spki" });
  } catch {
    return null;
  }
}
