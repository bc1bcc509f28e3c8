import { KMSClient } from "@aws-sdk/client-kms";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Vault } from "../../../functions/adapters/aws/vault.js";
import { KmsDataKeys } from "../../../functions/adapters/aws/vault-kms.js";
import { type AwsStub, startAwsStub } from "../../support/aws-stub.js";

describe("data keys of KMS", () => {
  let stub: AwsStub;
  let keys: KmsDataKeys;

  beforeEach(async () => {
    const plain = Buffer.alloc(32, 7).toString("base64");
    const sealed = Buffer.from("sealed key").toString("base64");
    stub = await startAwsStub(({ operation }) => ({
      body: operation === "GenerateDataKey" ? { Plaintext: plain, CiphertextBlob: sealed } : { Plaintext: plain },
    }));
    keys = new KmsDataKeys(async () => new KMSClient(stub.clientConfig), "key-1");
  });

  afterEach(() => stub.close());

  test("are made and opened under the owner's encryption context", async () => {
    const blob = await new Vault(keys).seal("src_1", { sec_1: "a" });
    expect(await new Vault(keys).unseal("src_1", blob)).toEqual({ sec_1: "a" });
    const bound = { KeyId: "key-1", EncryptionContext: { owner: "src_1" } };
    expect(stub.calls.map(({ operation, json }) => ({ operation, json }))).toEqual([
      { operation: "GenerateDataKey", json: { ...bound, KeySpec: "AES_256" } },
      { operation: "Decrypt", json: { ...bound, CiphertextBlob: Buffer.from("sealed key").toString("base64") } },
    ]);
  });
});
