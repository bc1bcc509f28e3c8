import { stat } from "node:fs/promises";
import { join } from "node:path";
import {
  CreateAliasCommand,
  CreateKeyCommand,
  DecryptCommand,
  DescribeKeyCommand,
  EncryptCommand,
  GenerateDataKeyCommand,
  IncorrectKeyException,
  InvalidCiphertextException,
  type KMSClient,
  ListAliasesCommand,
  ListKeysCommand,
  NotFoundException,
} from "@aws-sdk/client-kms";
import { describe, expect, it } from "vitest";
import { aDataDir, kmsClient, startAws } from "./fixture.js";

const EncryptionContext = { owner: "src_1", use: "secret" };

async function aKey(): Promise<{ kms: KMSClient; KeyId: string; arn: string }> {
  const kms = kmsClient(await startAws());
  const { KeyMetadata } = await kms.send(new CreateKeyCommand({ Description: "vault" }));
  return { kms, KeyId: KeyMetadata?.KeyId ?? "", arn: KeyMetadata?.Arn ?? "" };
}

describe("keys of the local KMS", () => {
  it("encrypts and decrypts under a context, whose order does not matter", async () => {
    const { kms, KeyId, arn } = await aKey();
    const Plaintext = Buffer.from("whsec_secret");
    const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId, Plaintext, EncryptionContext }));
    expect(Buffer.from(CiphertextBlob ?? []).includes("whsec_secret")).toBe(false);

    const decrypted = await kms.send(
      new DecryptCommand({ CiphertextBlob, EncryptionContext: { use: "secret", owner: "src_1" } }),
    );
    expect(Buffer.from(decrypted.Plaintext ?? []).toString()).toBe("whsec_secret");
    expect(decrypted.KeyId).toBe(arn);
  });

  it("makes data keys of the size that is asked for", async () => {
    const { kms, KeyId } = await aKey();
    const key = await kms.send(new GenerateDataKeyCommand({ KeyId, KeySpec: "AES_256", EncryptionContext }));
    expect(key.Plaintext).toHaveLength(32);
    const opened = await kms.send(new DecryptCommand({ CiphertextBlob: key.CiphertextBlob, EncryptionContext }));
    expect(opened.Plaintext).toEqual(key.Plaintext);
    const bytes = await kms.send(new GenerateDataKeyCommand({ KeyId, NumberOfBytes: 7 }));
    expect(bytes.Plaintext).toHaveLength(7);
    await expect(kms.send(new GenerateDataKeyCommand({ KeyId }))).rejects.toMatchObject({
      name: "ValidationException",
    });
  });

  it("refuses another context, a changed blob, and what it never made", async () => {
    const { kms, KeyId } = await aKey();
    const Plaintext = Buffer.from("x");
    const { CiphertextBlob = new Uint8Array() } = await kms.send(
      new EncryptCommand({ KeyId, Plaintext, EncryptionContext }),
    );
    const changed = Buffer.from(CiphertextBlob);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    const attempts = [
      { CiphertextBlob, EncryptionContext: { owner: "src_2", use: "secret" } },
      { CiphertextBlob },
      { CiphertextBlob: changed, EncryptionContext },
      { CiphertextBlob: CiphertextBlob.slice(0, 20), EncryptionContext },
      { CiphertextBlob: Buffer.from("nonsense"), EncryptionContext },
    ];
    for (const attempt of attempts) {
      await expect(kms.send(new DecryptCommand(attempt))).rejects.toBeInstanceOf(InvalidCiphertextException);
    }
  });

  it("names a wrong key and an unknown one", async () => {
    const { kms, KeyId } = await aKey();
    const other = await kms.send(new CreateKeyCommand({}));
    const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId, Plaintext: Buffer.from("x") }));
    const wrong = kms.send(new DecryptCommand({ CiphertextBlob, KeyId: other.KeyMetadata?.KeyId }));
    await expect(wrong).rejects.toBeInstanceOf(IncorrectKeyException);
    const unknown = kms.send(new EncryptCommand({ KeyId: "none", Plaintext: Buffer.from("x") }));
    await expect(unknown).rejects.toBeInstanceOf(NotFoundException);
  });

  it("finds a key by id, ARN, alias and alias ARN", async () => {
    const { kms, KeyId, arn } = await aKey();
    await kms.send(new CreateAliasCommand({ AliasName: "alias/steadyhook", TargetKeyId: KeyId }));
    const aliasArn = "arn:aws:kms:us-east-1:000000000000:alias/steadyhook";
    for (const reference of [KeyId, arn, "alias/steadyhook", aliasArn]) {
      const { KeyMetadata } = await kms.send(new DescribeKeyCommand({ KeyId: reference }));
      expect(KeyMetadata).toMatchObject({ KeyId, Arn: arn, Enabled: true, Description: "vault" });
    }
    expect((await kms.send(new ListAliasesCommand({}))).Aliases).toMatchObject([
      { AliasArn: aliasArn, TargetKeyId: KeyId },
    ]);
    expect((await kms.send(new ListKeysCommand({}))).Keys).toMatchObject([{ KeyId, KeyArn: arn }]);
  });

  it("opens after a restart what was sealed before, with a key of a given id and a private master key", async () => {
    const dataDir = await aDataDir();
    const first = await startAws({ dataDir });
    await first.kms.createKey({ keyId: "relay" });
    const { CiphertextBlob } = await kmsClient(first).send(
      new EncryptCommand({ KeyId: "relay", Plaintext: Buffer.from("secret"), EncryptionContext }),
    );
    await first.close();
    expect((await stat(join(dataDir, "kms-master.key"))).mode & 0o777).toBe(0o600);

    const second = await startAws({ dataDir });
    await second.kms.createKey({ keyId: "relay" });
    const { Plaintext } = await kmsClient(second).send(new DecryptCommand({ CiphertextBlob, EncryptionContext }));
    expect(Buffer.from(Plaintext ?? []).toString()).toBe("secret");
  });
});
