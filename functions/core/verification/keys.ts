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

/** An ECDSA public key on P-256 from the base64 of its X.509 form; null for anything else. */
export function p256Key(base64: string): KeyObject | null {
  const der = decodeBase64(base64);
  const key = der === null ? null : publicKey(der);
  return key?.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : null;
}

function publicKey(der: Buffer): KeyObject | null {
  try {
    return createPublicKey({ key: der, format: "der", type: "spki" });
  } catch {
    return null;
  }
}
