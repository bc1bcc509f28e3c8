import type { KMSClient } from "@aws-sdk/client-kms";
import type { DataKeys } from "./vault.js";

/** Data keys of one AWS KMS key, bound to their owner by the encryption context. The SDK is loaded by the first call. */
export class KmsDataKeys implements DataKeys {
  constructor(
    private readonly client: () => Promise<KMSClient>,
    private readonly keyId: string,
  ) {}

  async generate(ownerId: string): Promise<{ readonly plain: Uint8Array; readonly sealed: Uint8Array }> {
    const [{ GenerateDataKeyCommand }, client] = await Promise.all([import("./kms.js"), this.client()]);
    const answer = await client.send(
      new GenerateDataKeyCommand({ KeyId: this.keyId, KeySpec: "AES_256", EncryptionContext: { owner: ownerId } }),
    );
    return { plain: bytes(answer.Plaintext), sealed: bytes(answer.CiphertextBlob) };
  }

  async open(ownerId: string, sealed: Uint8Array): Promise<Uint8Array> {
    const [{ DecryptCommand }, client] = await Promise.all([import("./kms.js"), this.client()]);
    const answer = await client.send(
      new DecryptCommand({ KeyId: this.keyId, CiphertextBlob: sealed, EncryptionContext: { owner: ownerId } }),
    );
    return bytes(answer.Plaintext);
  }
}

function bytes(value: Uint8Array | undefined): Uint8Array {
  if (value === undefined) throw new Error("KMS answered without a key");
  return value;
}
