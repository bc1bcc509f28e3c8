// The calls of KMS that we make. Loaded by `import()`: a bundler keeps every command of a package that is imported
// dynamically as a whole, and only what is named here of this file.
export { DecryptCommand, GenerateDataKeyCommand, KMSClient } from "@aws-sdk/client-kms";
