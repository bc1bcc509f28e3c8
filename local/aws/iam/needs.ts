import { arnOf, type LocalAccount } from "../arns.js";
import type { JsonObject } from "../json-input.js";
import type { Need } from "./statement.js";

/** A call as the endpoint understood it, before it is carried out. */
export type AwsCall =
  | {
      readonly service: "dynamodb" | "sqs" | "kms" | "cloudwatch";
      readonly operation: string;
      readonly input: JsonObject;
    }
  | { readonly service: "s3"; readonly method: string; readonly bucket: string; readonly key: string }
  | {
      readonly service: "scheduler";
      readonly method: string;
      readonly path: readonly string[];
      readonly query: URLSearchParams;
      readonly input: JsonObject;
    };

/** What a caller, by its access key id or as a role's ARN, would have to be allowed and is not; null: it may go on. */
export type MissingPermission = (caller: string, call: AwsCall) => Need | null;

/** The partition key's attribute of a table. */
export type PartitionKeyOf = (tableName: string) => string | undefined;

/** All that a caller must be allowed, so that AWS would carry out the call. */
export function needsOf(call: AwsCall, account: LocalAccount, partitionKeyOf: PartitionKeyOf): readonly Need[] {
  switch (call.service) {
    case "dynamodb":
      return tableNeeds(call, account, partitionKeyOf);
    case "sqs":
      return [{ action: `sqs:${call.operation.replace(/Batch$/, "")}`, resource: queueArn(call.input, account) }];
    case "kms":
      return [{ action: `kms:${call.operation}`, resource: keyArn(call.input, account) }];
    case "cloudwatch":
      return [{ action: `cloudwatch:${call.operation}`, resource: "*" }];
    case "s3":
      return [objectNeed(call)];
    case "scheduler":
      return scheduleNeeds(call, account);
  }
}

function tableNeeds(
  { operation, input }: { operation: string; input: JsonObject },
  account: LocalAccount,
  partitionKeyOf: PartitionKeyOf,
): readonly Need[] {
  const { TableName, IndexName, RequestItems, Key, Item } = input as Record<string, unknown>;
  const tables: readonly (readonly [string, readonly unknown[]])[] =
    RequestItems === undefined
      ? [[String(TableName), [Key ?? Item].filter((key) => key !== undefined)]]
      : Object.entries(RequestItems as Record<string, { Keys?: unknown[] }>).map(([name, { Keys }]) => [
          name,
          Keys ?? [],
        ]);
  return tables.map(([name, items]) => {
    const partitionKey = partitionKeyOf(name) ?? "";
    const values = items.map((item) => (item as Record<string, { S?: string }>)[partitionKey]?.S ?? "");
    return {
      action: `dynamodb:${operation}`,
      resource: arnOf(account, "dynamodb", `table/${name}${IndexName === undefined ? "" : `/index/${IndexName}`}`),
      context: { "dynamodb:LeadingKeys": values },
    };
  });
}

const queueArn = ({ QueueUrl }: JsonObject, account: LocalAccount): string =>
  QueueUrl === undefined ? "*" : arnOf(account, "sqs", String(QueueUrl).split("/").at(-1) ?? "");

function keyArn({ KeyId }: JsonObject, account: LocalAccount): string {
  const key = String(KeyId ?? "*");
  return key.startsWith("arn:") ? key : arnOf(account, "kms", `key/${key}`);
}

const objectActions: Readonly<Record<string, string>> = {
  GET: "GetObject",
  HEAD: "GetObject",
  PUT: "PutObject",
  DELETE: "DeleteObject",
};

function objectNeed({ method, bucket, key }: { method: string; bucket: string; key: string }): Need {
  if (key === "") return { action: "s3:ListBucket", resource: `arn:aws:s3:::${bucket}` };
  return { action: `s3:${objectActions[method] ?? method}`, resource: `arn:aws:s3:::${bucket}/${key}` };
}

const scheduleActions: Readonly<Record<string, string>> = {
  POST: "CreateSchedule",
  PUT: "UpdateSchedule",
  GET: "GetSchedule",
  DELETE: "DeleteSchedule",
};

function scheduleNeeds(
  { method, path, query, input }: Extract<AwsCall, { service: "scheduler" }>,
  account: LocalAccount,
): readonly Need[] {
  const [, name = "*"] = path;
  const group = input["GroupName"] ?? query.get("groupName") ?? "default";
  const action = path.length === 1 ? "ListSchedules" : (scheduleActions[method] ?? method);
  const need = { action: `scheduler:${action}`, resource: arnOf(account, "scheduler", `schedule/${group}/${name}`) };
  const { RoleArn } = (input["Target"] ?? {}) as { RoleArn?: string };
  if (RoleArn === undefined) return [need];
  const context = { "iam:PassedToService": ["scheduler.amazonaws.com"] };
  return [need, { action: "iam:PassRole", resource: RoleArn, context }];
}
