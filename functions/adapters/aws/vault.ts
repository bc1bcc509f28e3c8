import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { LruMap } from "./config-cache.js";

/**
 * Secrets at rest. All secrets of one owner (a source or a subscription) are one blob:
 *
 *     version (1 byte) | length of the sealed data key (2 bytes) | sealed data key | IV (12) | tag (16) | ciphertext
 *
 * The plaintext is a JSON object of secret id → value, encrypted with AES-256-GCM under a data key of its own. The
 * owner's id is the encryption context of the data key and the associated data of the cipher: a blob that is copied to
 * another owner's item does not open.
 */

/** Makes and opens data keys: AWS KMS in the relay. */
export interface DataKeys {
  generate(ownerId: string): Promise<{ readonly plain: Uint8Array; readonly sealed: Uint8Array }>;
  open(ownerId: string, sealed: Uint8Array): Promise<Uint8Array>;
}

/** Secret id → value. */
export type SecretValues = Readonly<Record<string, string>>;

/** A blob that does not open: damaged, of an unknown version, or of another owner. */
export class UnreadableSecretsError extends Error {
  override readonly name = "UnreadableSecretsError";
}

const version = 1;
const keyLengthBytes = 2;
const ivBytes = 12;
const tagBytes = 16;
const cipherName = "aes-256-gcm";

/** Opened blobs that stay in memory: an unchanged blob costs no second call of KMS. */
const openedBlobs = 1_000;

export class Vault {
  private readonly opened: LruMap<SecretValues>;

  constructor(
    private readonly keys: DataKeys,
    entries = openedBlobs,
  ) {
    this.opened = new LruMap(entries);
  }

  async seal(ownerId: string, values: SecretValues): Promise<Buffer> {
    const { plain, sealed } = await this.keys.generate(ownerId);
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv(cipherName, plain, iv);
    cipher.setAAD(Buffer.from(ownerId));
    const ciphertext = Buffer.concat([cipher.update(JSON.stringify(values), "utf8"), cipher.final()]);
    const blob = Buffer.concat([blobHead(sealed), sealed, iv, cipher.getAuthTag(), ciphertext]);
    this.opened.set(fingerprint(ownerId, blob), values);
    return blob;
  }

  /** Rejects with {@link UnreadableSecretsError} unless the blob was sealed for this owner. */
  async unseal(ownerId: string, blob: Buffer): Promise<SecretValues> {
    const name = fingerprint(ownerId, blob);
    const known = this.opened.get(name);
    if (known !== undefined) return known;
    const parts = splitBlob(blob);
    const key = await this.keys.open(ownerId, parts.sealedKey);
    const values = decrypt(ownerId, key, parts);
    this.opened.set(name, values);
    return values;
  }
}

function blobHead(sealedKey: Uint8Array): Buffer {
  const head = Buffer.alloc(1 + keyLengthBytes);
  head.writeUInt8(version);
  head.writeUInt16BE(sealedKey.length, 1);
  return head;
}

interface BlobParts {
  readonly sealedKey: Buffer;
  readonly iv: Buffer;
  readonly tag: Buffer;
  readonly ciphertext: Buffer;
}

function splitBlob(blob: Buffer): BlobParts {
  const keyStart = 1 + keyLengthBytes;
  if (blob.length < keyStart || blob[0] !== version) throw new UnreadableSecretsError("secrets have an unknown format");
  const ivStart = keyStart + blob.readUInt16BE(1);
  const tagStart = ivStart + ivBytes;
  const textStart = tagStart + tagBytes;
  if (blob.length < textStart) throw new UnreadableSecretsError("secrets are cut short");
  return {
    sealedKey: blob.subarray(keyStart, ivStart),
    iv: blob.subarray(ivStart, tagStart),
    tag: blob.subarray(tagStart, textStart),
    ciphertext: blob.subarray(textStart),
  };
}

function decrypt(ownerId: string, key: Uint8Array, parts: BlobParts): SecretValues {
  const decipher = createDecipheriv(cipherName, key, parts.iv, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(ownerId));
  decipher.setAuthTag(parts.tag);
  try {
    return JSON.parse(Buffer.concat([decipher.update(parts.ciphertext), decipher.final()]).toString("utf8"));
  } catch {
    throw new UnreadableSecretsError("secrets do not open: they are damaged or of another owner");
  }
}

/** Names a blob without keeping it; the owner is part of it, so that no other owner finds it. */
const fingerprint = (ownerId: string, blob: Buffer): string =>
  createHash("sha256").update(ownerId).update("\0").update(blob).digest("base64");
