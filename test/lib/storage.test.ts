import { Duration, RemovalPolicy } from "aws-cdk-lib";
import { Key } from "aws-cdk-lib/aws-kms";
import { describe, expect, test } from "vitest";
import { bodiesPrefix } from "../../functions/shared/bucket-layout.js";
import { tableLayout } from "../../functions/shared/table-layout.js";
import { properties, relayTemplate, resources } from "./relay-template.js";

const template = relayTemplate();
const keyArn = { "Fn::GetAtt": [resources(template, "::KMS::Key")[0]?.[0], "Arn"] };

describe("the table", () => {
  const table = properties(template, "::DynamoDB::GlobalTable");
  const [replica] = table.Replicas;

  test("has the keys and indexes of the layout, each index with keys only", () => {
    const keySchema = (hash: string, range: string) => [
      { AttributeName: hash, KeyType: "HASH" },
      { AttributeName: range, KeyType: "RANGE" },
    ];
    expect(table.KeySchema).toEqual(keySchema(tableLayout.partitionKey, tableLayout.sortKey));
    expect(table.GlobalSecondaryIndexes).toEqual(
      Object.values(tableLayout.indexes).map((index) => ({
        IndexName: index.name,
        KeySchema: keySchema(index.partitionKey, index.sortKey),
        Projection: { ProjectionType: "KEYS_ONLY" },
      })),
    );
  });

  test("expires items by the layout's attribute", () => {
    expect(table.TimeToLiveSpecification).toEqual({ AttributeName: tableLayout.ttlAttribute, Enabled: true });
  });

  test("is billed by request, and can be restored to any second", () => {
    expect(table.BillingMode).toBe("PAY_PER_REQUEST");
    expect(replica.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled).toBe(true);
  });

  test("is encrypted with the relay's key, though the stack's region is open", () => {
    expect(table.SSESpecification).toEqual({ SSEEnabled: true, SSEType: "KMS" });
    expect(replica.SSESpecification).toEqual({ KMSMasterKeyId: keyArn });
  });

  test("refuses to be deleted, until removalPolicy is DESTROY", () => {
    expect(replica.DeletionProtectionEnabled).toBe(true);
    const doomed = properties(relayTemplate({ removalPolicy: RemovalPolicy.DESTROY }), "::DynamoDB::GlobalTable");
    expect(doomed.Replicas[0].DeletionProtectionEnabled).toBe(false);
  });
});

describe("the bucket", () => {
  const bucket = properties(template, "::S3::Bucket");

  test("is closed to the public, and refuses requests without TLS", () => {
    expect(Object.values(bucket.PublicAccessBlockConfiguration)).toEqual([true, true, true, true]);
    const [statement] = properties(template, "::S3::BucketPolicy").PolicyDocument.Statement;
    expect(statement).toMatchObject({ Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } });
  });

  test("is encrypted with the relay's key", () => {
    const [rule] = bucket.BucketEncryption.ServerSideEncryptionConfiguration;
    expect(rule).toEqual({
      BucketKeyEnabled: true,
      ServerSideEncryptionByDefault: { SSEAlgorithm: "aws:kms", KMSMasterKeyID: keyArn },
    });
  });

  test("keeps bodies 14 days longer than deliveries, and nothing else expires", () => {
    const rules = (of = template) => properties(of, "::S3::Bucket").LifecycleConfiguration.Rules;
    expect(rules()).toEqual([expect.objectContaining({ Prefix: bodiesPrefix, ExpirationInDays: 30 + 14 })]);
    expect(rules(relayTemplate({ retention: Duration.days(90) }))).toMatchObject([{ ExpirationInDays: 104 }]);
  });

  test("forgets uploads that were never finished", () => {
    const [rule] = bucket.LifecycleConfiguration.Rules;
    expect(rule.AbortIncompleteMultipartUpload).toEqual({ DaysAfterInitiation: 1 });
  });
});

describe("the key", () => {
  test("is rotated", () => {
    expect(properties(template, "::KMS::Key").EnableKeyRotation).toBe(true);
  });

  test("is the given one, if one is given", () => {
    const arn = "arn:aws:kms:eu-west-1:123456789012:key/0f0e";
    const of = relayTemplate((stack) => ({ encryptionKey: Key.fromKeyArn(stack, "Given", arn) }));
    expect(resources(of, "::KMS::Key")).toEqual([]);
    expect(properties(of, "::DynamoDB::GlobalTable").Replicas[0].SSESpecification.KMSMasterKeyId).toBe(arn);
    expect(properties(of, "::Lambda::Function", "RelayAdmin").Environment.Variables.KMS_KEY_ID).toBe(arn);
  });
});
