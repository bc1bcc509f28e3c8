import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, randomUUID } from "node:crypto";
import { arnOf, type LocalAccount, resourceOf } from "../arns.js";
import { AwsError } from "../aws-error.js";
import type { LocalClock } from "../clock.js";
import type { StateStore } from "../state-store.js";

const keyPrefix = "kms!key!";
const aliasPrefix = "kms!alias!";
const blobVersion = 1;
const ivBytes = 12;
const tagBytes = 16;

export interface KmsKey {
  readonly keyId: string;
  readonly description: string;
  readonly createdAtMs: number;
}

export interface KmsOptions extends LocalAccount {
  readonly store: StateStore;
  readonly clock: LocalClock;
  readonly masterKey: Buffer;
}

export type EncryptionContext = Readonly<Record<string, string>>;

/** Symmetric keys: AES-256-GCM, each key derived from the master key, the encryption context authenticated. */
export class Kms {
  readonly #keys = new Map<string, KmsKey>();
  readonly #aliases = new Map<string, string>();

  private constructor(private readonly options: KmsOptions) {}

  static async open(options: KmsOptions): Promise<Kms> {
    const kms = new Kms(options);
    for await (const [key, value] of options.store.range(keyPrefix)) {
      kms.#keys.set(key.slice(keyPrefix.length), JSON.parse(value));
    }
    for await (const [key, value] of options.store.range(aliasPrefix)) {
      kms.#aliases.set(key.slice(aliasPrefix.length), value);
    }
    return kms;
  }

  /** `keyId` given: the key has that id, and one that exists already is answered as it is. */
  async createKey(
    options: { readonly keyId?: string | undefined; readonly description?: string } = {},
  ): Promise<KmsKey> {
    const keyId = options.keyId ?? randomUUID();
    const existing = this.#keys.get(keyId);
    if (existing !== undefined) return existing;
    if (!/^[\w-]{1,64}$/.test(keyId)) throw new AwsError("ValidationException", `${keyId} is no usable key id.`);
    const key: KmsKey = { keyId, description: options.description ?? "", createdAtMs: this.options.clock.now() };
    this.#keys.set(keyId, key);
    await this.options.store.write([{ type: "put", key: keyPrefix + keyId, value: JSON.stringify(key) }]);
    return key;
  }

  /** `alias`: `alias/name`. */
  async createAlias(alias: string, keyId: string): Promise<void> {
    const key = this.find(keyId);
    if (!/^alias\/[\w/-]{1,250}$/.test(alias))
      throw new AwsError("InvalidAliasNameException", `Invalid alias ${alias}.`);
    if (this.#aliases.has(alias)) throw new AwsError("AlreadyExistsException", `An alias ${alias} already exists.`);
    this.#aliases.set(alias, key.keyId);
    await this.options.store.write([{ type: "put", key: aliasPrefix + alias, value: key.keyId }]);
  }

  keys(): KmsKey[] {
    return [...this.#keys.values()];
  }

  aliases(): { readonly alias: string; readonly keyId: string }[] {
    return [...this.#aliases].map(([alias, keyId]) => ({ alias, keyId }));
  }

  arnOf(key: KmsKey): string {
    return arnOf(this.options, "kms", `key/${key.keyId}`);
  }

  aliasArn(alias: string): string {
    return arnOf(this.options, "kms", alias);
  }

  /** By id, ARN, `alias/name` or alias ARN. @throws {AwsError} `NotFoundException`. */
  find(reference: string): KmsKey {
    const resource = resourceOf(reference, "kms") ?? reference;
    const keyId = resource.startsWith("alias/") ? this.#aliases.get(resource) : resource.replace(/^key\//, "");
    const key = this.#keys.get(keyId ?? "");
    if (key !== undefined) return key;
    throw new AwsError("NotFoundException", `Key '${reference}' does not exist.`, { queryCode: "NotFound" });
  }

  encrypt(key: KmsKey, plaintext: Buffer, context: EncryptionContext): Buffer {
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv("aes-256-gcm", this.#derive(key), iv).setAAD(associatedData(key, context));
    const sealed = Buffer.concat([cipher.update(plaintext), cipher.final()]);
    const id = Buffer.from(key.keyId);
    return Buffer.concat([Buffer.of(blobVersion, id.length), id, iv, cipher.getAuthTag(), sealed]);
  }

  /** @throws {AwsError} `InvalidCiphertextException` for what this account's key did not seal with this context. */
  decrypt(blob: Buffer, context: EncryptionContext): { readonly key: KmsKey; readonly plaintext: Buffer } {
    const ivAt = 2 + (blob[1] ?? 0);
    const key = this.#keys.get(blob.subarray(2, ivAt).toString());
    if (blob[0] !== blobVersion || key === undefined || blob.length < ivAt + ivBytes + tagBytes)
      throw invalidCiphertext();
    const tagAt = ivAt + ivBytes;
    const decipher = createDecipheriv("aes-256-gcm", this.#derive(key), blob.subarray(ivAt, tagAt), {
      authTagLength: tagBytes,
    })
      .setAAD(associatedData(key, context))
      .setAuthTag(blob.subarray(tagAt, tagAt + tagBytes));
    try {
      const plaintext = Buffer.concat([decipher.update(blob.subarray(tagAt + tagBytes)), decipher.final()]);
      return { key, plaintext };
    } catch {
      throw invalidCiphertext();
    }
  }

  #derive(key: KmsKey): Buffer {
    return Buffer.from(hkdfSync("sha256", this.options.masterKey, "", `local-kms/${key.keyId}`, 32));
  }
}

/** The context's order does not matter, as on AWS. */
function associatedData(key: KmsKey, context: EncryptionContext): Buffer {
  const entries = Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.from(JSON.stringify([key.keyId, entries]));
}

const invalidCiphertext = (): AwsError =>
  new AwsError("InvalidCiphertextException", "The ciphertext or its encryption context is not valid.", {
    queryCode: "InvalidCiphertext",
  });
