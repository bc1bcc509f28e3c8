import { randomBytes } from "node:crypto";
import { AwsError } from "../aws-error.js";
import { type JsonObject, optionalInteger, optionalString, requiredString, stringMap } from "../json-input.js";
import type { Kms, KmsKey } from "./kms.js";

/** What KMS encrypts at most in one call. */
const maximumPlaintextBytes = 4096;
const maximumDataKeyBytes = 1024;

type Operation = (kms: Kms, input: JsonObject) => Promise<object> | object;

/** Answers one call of the JSON protocol (`TrentService.<operation>`). */
export async function callKms(operation: string, kms: Kms, input: JsonObject): Promise<object> {
  const run = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
  if (run === undefined)
    throw new AwsError("UnknownOperationException", `The local KMS has no operation ${operation}.`);
  return run(kms, input);
}

const operations: Readonly<Record<string, Operation>> = {
  async CreateKey(kms, input) {
    const spec =
      optionalString(input, "KeySpec") ?? optionalString(input, "CustomerMasterKeySpec") ?? "SYMMETRIC_DEFAULT";
    if (spec !== "SYMMETRIC_DEFAULT")
      throw new AwsError("UnsupportedOperationException", "The local KMS has symmetric keys only.");
    // KeyId is an addition of the local KMS: a key that keeps its id when the data folder is made anew.
    const keyId = optionalString(input, "KeyId");
    const key = await kms.createKey({ keyId, description: optionalString(input, "Description") ?? "" });
    return { KeyMetadata: metadata(kms, key) };
  },
  DescribeKey: (kms, input) => ({ KeyMetadata: metadata(kms, keyOf(kms, input)) }),
  ListKeys: (kms) => ({
    Keys: kms.keys().map((key) => ({ KeyId: key.keyId, KeyArn: kms.arnOf(key) })),
    Truncated: false,
  }),
  async CreateAlias(kms, input) {
    await kms.createAlias(requiredString(input, "AliasName"), requiredString(input, "TargetKeyId"));
    return {};
  },
  ListAliases: (kms) => ({
    Aliases: kms.aliases().map(({ alias, keyId }) => ({
      AliasName: alias,
      AliasArn: kms.aliasArn(alias),
      TargetKeyId: keyId,
    })),
    Truncated: false,
  }),
  Encrypt(kms, input) {
    const key = keyOf(kms, input);
    const plaintext = bytesOf(input, "Plaintext");
    if (plaintext.length === 0 || plaintext.length > maximumPlaintextBytes) {
      throw new AwsError("ValidationException", `Plaintext must have 1 to ${maximumPlaintextBytes} bytes.`);
    }
    return { KeyId: kms.arnOf(key), ...sealed(kms, key, plaintext, input), EncryptionAlgorithm: "SYMMETRIC_DEFAULT" };
  },
  Decrypt(kms, input) {
    const { key, plaintext } = kms.decrypt(bytesOf(input, "CiphertextBlob"), stringMap(input, "EncryptionContext"));
    const expected = optionalString(input, "KeyId");
    if (expected !== undefined && kms.find(expected).keyId !== key.keyId) {
      throw new AwsError(
        "IncorrectKeyException",
        "The key ID in the request does not identify the key that encrypted.",
      );
    }
    return { KeyId: kms.arnOf(key), Plaintext: plaintext.toString("base64"), EncryptionAlgorithm: "SYMMETRIC_DEFAULT" };
  },
  GenerateDataKey(kms, input) {
    const { Plaintext, ...answer } = dataKey(kms, input);
    return { ...answer, Plaintext };
  },
  GenerateDataKeyWithoutPlaintext(kms, input) {
    const { Plaintext: _, ...answer } = dataKey(kms, input);
    return answer;
  },
};

function dataKey(kms: Kms, input: JsonObject): { KeyId: string; CiphertextBlob: string; Plaintext: string } {
  const key = keyOf(kms, input);
  const plaintext = randomBytes(dataKeyBytes(input));
  return { KeyId: kms.arnOf(key), ...sealed(kms, key, plaintext, input), Plaintext: plaintext.toString("base64") };
}

function dataKeyBytes(input: JsonObject): number {
  const spec = optionalString(input, "KeySpec");
  const bytes = optionalInteger(input, "NumberOfBytes");
  if (spec === undefined && bytes !== undefined && bytes >= 1 && bytes <= maximumDataKeyBytes) return bytes;
  if (spec === "AES_256" && bytes === undefined) return 32;
  if (spec === "AES_128" && bytes === undefined) return 16;
  throw new AwsError("ValidationException", "Please specify either number of bytes or key spec.");
}

function sealed(kms: Kms, key: KmsKey, plaintext: Buffer, input: JsonObject): { CiphertextBlob: string } {
  return { CiphertextBlob: kms.encrypt(key, plaintext, stringMap(input, "EncryptionContext")).toString("base64") };
}

const keyOf = (kms: Kms, input: JsonObject): KmsKey => kms.find(requiredString(input, "KeyId"));
const bytesOf = (input: JsonObject, name: string): Buffer => Buffer.from(requiredString(input, name), "base64");

function metadata(kms: Kms, key: KmsKey): object {
  return {
    KeyId: key.keyId,
    Arn: kms.arnOf(key),
    CreationDate: key.createdAtMs / 1000,
    Description: key.description,
    Enabled: true,
    KeyState: "Enabled",
    KeyUsage: "ENCRYPT_DECRYPT",
    KeySpec: "SYMMETRIC_DEFAULT",
    CustomerMasterKeySpec: "SYMMETRIC_DEFAULT",
    EncryptionAlgorithms: ["SYMMETRIC_DEFAULT"],
    KeyManager: "CUSTOMER",
    Origin: "AWS_KMS",
    MultiRegion: false,
  };
}
