import { Duration, RemovalPolicy } from "aws-cdk-lib";
import {
  AttributeType,
  Billing,
  type CfnGlobalTable,
  ProjectionType,
  TableEncryptionV2,
  TableV2,
} from "aws-cdk-lib/aws-dynamodb";
import { type IKey, Key } from "aws-cdk-lib/aws-kms";
import { BlockPublicAccess, Bucket, BucketEncryption } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import { bodiesPrefix, faultsPrefix } from "../functions/shared/bucket-layout.js";
import { tableLayout } from "../functions/shared/table-layout.js";
import { acknowledge } from "./acknowledge.js";
import type { Settings } from "./settings.js";

export interface StorageProps {
  readonly settings: Settings;
  readonly encryptionKey: IKey | undefined;
}

/** Bodies outlive their events by a week, and those their deliveries by another: what is listed can be read. */
const bodiesOutliveDeliveriesDays = 14;

/** Everything that a relay keeps: one table, one bucket for large bodies, and the key that encrypts both. */
export class Storage extends Construct {
  readonly key: IKey;
  readonly table: TableV2;
  readonly bucket: Bucket;
  /** ARN of all bodies in the bucket. */
  readonly bodiesArn: string;
  /** ARN of the long bodies of faulted messages, which do not expire. */
  readonly faultsArn: string;

  constructor(scope: Construct, id: string, { settings, encryptionKey }: StorageProps) {
    super(scope, id);
    this.key = encryptionKey ?? this.createKey(settings);
    this.table = this.createTable(settings);
    this.bucket = this.createBucket(settings);
    this.bodiesArn = this.bucket.arnForObjects(`${bodiesPrefix}*`);
    this.faultsArn = this.bucket.arnForObjects(`${faultsPrefix}*`);
  }

  private createKey({ removalPolicy }: Settings): Key {
    return new Key(this, "Key", {
      description: "Steadyhook: table, bodies, and secrets of sources and subscriptions",
      enableKeyRotation: true,
      removalPolicy,
    });
  }

  private createTable({ removalPolicy }: Settings): TableV2 {
    const { partitionKey, sortKey, ttlAttribute, indexes } = tableLayout;
    const table = new TableV2(this, "Table", {
      partitionKey: { name: partitionKey, type: AttributeType.STRING },
      sortKey: { name: sortKey, type: AttributeType.STRING },
      globalSecondaryIndexes: Object.values(indexes).map((index) => ({
        indexName: index.name,
        partitionKey: { name: index.partitionKey, type: AttributeType.STRING },
        sortKey: { name: index.sortKey, type: AttributeType.STRING },
        projectionType: ProjectionType.KEYS_ONLY,
      })),
      billing: Billing.onDemand(),
      timeToLiveAttribute: ttlAttribute,
      encryption: TableEncryptionV2.awsManagedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: removalPolicy !== RemovalPolicy.DESTROY,
      removalPolicy,
    });
    // `customerManagedKey()` refuses a stack without a fixed region; this is what it renders in one that has it.
    const resource = table.node.defaultChild as CfnGlobalTable;
    resource.addPropertyOverride("Replicas.0.SSESpecification", { KMSMasterKeyId: this.key.keyArn });
    return table;
  }

  private createBucket({ removalPolicy, retention }: Settings): Bucket {
    const bucket = new Bucket(this, "Bucket", {
      encryption: BucketEncryption.KMS,
      encryptionKey: this.key,
      bucketKeyEnabled: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      lifecycleRules: [
        {
          prefix: bodiesPrefix,
          expiration: Duration.days(retention.toDays() + bodiesOutliveDeliveriesDays),
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
      ],
      removalPolicy,
    });
    acknowledge(
      bucket,
      "AwsSolutions-S1",
      "Only the functions read it, and they log; CloudTrail data events tell more.",
    );
    return bucket;
  }
}
