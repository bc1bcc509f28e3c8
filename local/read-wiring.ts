import type { CloudTemplate } from "./cloud-template.js";
import { functionArn } from "./read-target.js";
import { readRoute, readRule, readSchedule } from "./read-triggers.js";
import type { FunctionWiring, MappingWiring, QueueWiring, TableWiring, Wiring } from "./wiring.js";

/** Reads all of it; throws with the place in the template when something is not understood. */
export function readWiring(template: CloudTemplate): Wiring {
  const all = <T>(read: (template: CloudTemplate, id: string) => T, ...types: string[]): T[] =>
    template.ofType(...types).map((id) => read(template, id));
  const name = (_: CloudTemplate, id: string): string => template.name(id);
  return {
    functions: all(readFunction, "AWS::Lambda::Function").filter((found) => found !== null),
    mappings: all(readMapping, "AWS::Lambda::EventSourceMapping").filter((found) => found !== null),
    queues: all(readQueue, "AWS::SQS::Queue"),
    tables: all(readTable, "AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable"),
    buckets: all(name, "AWS::S3::Bucket").map((bucket) => bucket.toLowerCase()),
    keys: all(name, "AWS::KMS::Key"),
    scheduleGroups: all(name, "AWS::Scheduler::ScheduleGroup"),
    routes: all(readRoute, "AWS::ApiGatewayV2::Route"),
    timers: [...all(readRule, "AWS::Events::Rule"), ...all(readSchedule, "AWS::Scheduler::Schedule")].flat(),
  };
}

/** Metadata of a function: its folder under functions/. */
const functionLabel = "steadyhook:function";

/** Null for functions whose code is in the template itself: helpers of CDK, never ours. */
function readFunction(template: CloudTemplate, id: string): FunctionWiring | null {
  const code = template.property(id, "Code") as { S3Key?: string };
  if (code.S3Key === undefined) return null;
  const environment = template.property(id, "Environment") as { Variables?: Record<string, unknown> } | undefined;
  const variables = Object.entries(environment?.Variables ?? {}).map(([key, value]) => [key, String(value)]);
  return {
    arn: String(template.attribute(id, "Arn")),
    name: template.name(id),
    roleArn: String(template.property(id, "Role")),
    label: String(template.metadata(id, functionLabel) ?? template.name(id)),
    assetKey: code.S3Key,
    handler: String(template.property(id, "Handler")),
    environment: Object.fromEntries(variables),
    timeoutSeconds: Number(template.property(id, "Timeout") ?? 3),
    memoryMb: Number(template.property(id, "MemorySize") ?? 128),
  };
}

/** Null for a mapping that is switched off. */
function readMapping(template: CloudTemplate, id: string): MappingWiring | null {
  if (template.property(id, "Enabled") === false) return null;
  const functionName = String(template.property(id, "FunctionName"));
  const scaling = template.property(id, "ScalingConfig") as { MaximumConcurrency?: number } | undefined;
  const types = (template.property(id, "FunctionResponseTypes") ?? []) as string[];
  return {
    functionArn: functionArn(template, functionName),
    queueArn: String(template.property(id, "EventSourceArn")),
    batchSize: Number(template.property(id, "BatchSize") ?? 10),
    maxConcurrency: scaling?.MaximumConcurrency ?? null,
    reportsItemFailures: types.includes("ReportBatchItemFailures"),
  };
}

/** Queue properties that CreateQueue takes under another name are not used here. */
const queueAttributes = [
  "DelaySeconds",
  "MaximumMessageSize",
  "MessageRetentionPeriod",
  "ReceiveMessageWaitTimeSeconds",
  "RedriveAllowPolicy",
  "RedrivePolicy",
  "VisibilityTimeout",
];

function readQueue(template: CloudTemplate, id: string): QueueWiring {
  const attributes: Record<string, string> = {};
  for (const attribute of queueAttributes) {
    const value = template.property(id, attribute);
    if (value !== undefined) attributes[attribute] = typeof value === "object" ? JSON.stringify(value) : String(value);
  }
  const url = String(template.attribute(id, "QueueUrl"));
  return { name: template.name(id), url, arn: String(template.attribute(id, "Arn")), attributes };
}

function readTable(template: CloudTemplate, id: string): TableWiring {
  const ttl = template.property(id, "TimeToLiveSpecification") as { AttributeName?: string } | undefined;
  return {
    name: template.name(id),
    keySchema: template.property(id, "KeySchema") as TableWiring["keySchema"],
    attributeDefinitions: template.property(id, "AttributeDefinitions") as TableWiring["attributeDefinitions"],
    indexes: ((template.property(id, "GlobalSecondaryIndexes") ?? []) as TableWiring["indexes"]).map(
      ({ IndexName, KeySchema, Projection }) => ({ IndexName, KeySchema, Projection }),
    ),
    ttlAttribute: ttl?.AttributeName ?? null,
  };
}
