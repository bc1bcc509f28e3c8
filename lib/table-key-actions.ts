/**
 * What DynamoDB asks of a principal that reads and writes a table under a customer managed key (the documented list,
 * spelled out instead of its wildcards).
 */
export const tableKeyActions = [
  "kms:Decrypt",
  "kms:DescribeKey",
  "kms:Encrypt",
  "kms:GenerateDataKey",
  "kms:GenerateDataKeyWithoutPlaintext",
  "kms:ReEncryptFrom",
  "kms:ReEncryptTo",
] as const;
