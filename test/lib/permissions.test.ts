import { describe, expect, test } from "vitest";
import {
  aVpc,
  flat,
  list,
  properties,
  relayTemplate,
  resources,
  type Statement,
  sorted,
  statements,
} from "./relay-template.js";

const template = relayTemplate();

/** `action on resource`, hashes of logical ids left out. */
function shown(name: string): string[] {
  const short = (resource: unknown) => flat(resource).replace(/<Relay(\w+?)[0-9A-F]{8}(\.Arn)?>/g, "$1");
  const lines = statements(template, `Relay${name}`)
    .flatMap(({ Action, Resource }) =>
      list(Action).flatMap((action) => list(Resource).map((resource) => `${action} on ${short(resource)}`)),
    )
    .filter((line) => !line.startsWith("logs:"));
  return sorted(lines);
}

const keyUse = [
  "kms:Decrypt on StorageKey",
  "kms:DescribeKey on StorageKey",
  "kms:Encrypt on StorageKey",
  "kms:GenerateDataKey on StorageKey",
  "kms:GenerateDataKeyWithoutPlaintext on StorageKey",
  "kms:ReEncryptFrom on StorageKey",
  "kms:ReEncryptTo on StorageKey",
];

const consume = (queue: string) =>
  ["ChangeMessageVisibility", "DeleteMessage", "GetQueueAttributes", "GetQueueUrl", "ReceiveMessage"].map(
    (action) => `sqs:${action} on ${queue}`,
  );

describe("a function may do what it does, and no more", () => {
  test("ingress reads sources, puts bodies, sends events, and writes what it quarantines", () => {
    expect(shown("Ingress")).toEqual([
      ...["GetItem", "PutItem", "UpdateItem"].map((action) => `dynamodb:${action} on StorageTable`),
      ...keyUse,
      "s3:PutObject on StorageBucket/bodies/*",
      "sqs:SendMessage on QueuesDelivery",
    ]);
  });

  test("ingress writes events and counts of quarantined ones, and no other item", () => {
    const writes = statements(template, "RelayIngress").filter(({ Action }) =>
      /PutItem|UpdateItem/.test(String(Action)),
    );
    const keys = (pattern: string) => ({ "ForAllValues:StringLike": { "dynamodb:LeadingKeys": [pattern] } });
    expect(writes.map(({ Action, Condition }) => [Action, Condition])).toEqual([
      ["dynamodb:PutItem", keys("EVT#*")],
      ["dynamodb:UpdateItem", keys("QUA#*")],
    ]);
  });

  test("delivery reads and writes the table without its indexes, and sends to every queue", () => {
    expect(shown("Delivery").filter((line) => !/^(iam|scheduler):/.test(line))).toEqual(
      sorted([
        ...["BatchGetItem", "GetItem", "PutItem", "Query", "UpdateItem"].map((a) => `dynamodb:${a} on StorageTable`),
        ...keyUse,
        "s3:GetObject on StorageBucket/bodies/*",
        "s3:PutObject on StorageBucket/bodies/*",
        ...consume("QueuesDelivery"),
        ...consume("QueuesSlowLane"),
        ...["QueuesControl", "QueuesDelivery", "QueuesSlowLane", "QueuesDeadLetter", "QueuesFault"].map(
          (queue) => `sqs:SendMessage on ${queue}`,
        ),
      ]),
    );
  });

  test("admin reads the indexes and faults too, offers bodies for download, erases them, and sends to two queues", () => {
    expect(shown("Admin")).toEqual(
      sorted([
        ...["BatchGetItem", "DeleteItem", "GetItem", "PutItem", "Query", "UpdateItem"].map(
          (action) => `dynamodb:${action} on StorageTable`,
        ),
        "cloudwatch:GetMetricData on *",
        ...["due", "listing", "state"].map((index) => `dynamodb:Query on StorageTable/index/${index}`),
        ...keyUse,
        "s3:GetObject on StorageBucket/bodies/*",
        "s3:DeleteObject on StorageBucket/bodies/*",
        "s3:GetObject on StorageBucket/faults/*",
        "s3:ListBucket on StorageBucket",
        "s3:PutObject on StorageBucket/bodies/*",
        ...["Control", "DeadLetter", "Delivery", "Fault", "SlowLane"].map(
          (queue) => `sqs:GetQueueAttributes on Queues${queue}`,
        ),
        "sqs:SendMessage on QueuesControl",
        "sqs:SendMessage on QueuesDelivery",
      ]),
    );
  });

  test("the sweeper reads the indexes, keeps faults, and sends deliveries and its own next tick", () => {
    expect(shown("Sweeper").filter((line) => !/^(iam|scheduler):/.test(line))).toEqual(
      sorted([
        "dynamodb:BatchGetItem on StorageTable",
        "dynamodb:GetItem on StorageTable",
        "dynamodb:UpdateItem on StorageTable",
        ...["due", "listing", "state"].map((index) => `dynamodb:Query on StorageTable/index/${index}`),
        ...keyUse,
        "s3:PutObject on StorageBucket/faults/*",
        ...consume("QueuesControl"),
        ...consume("QueuesFault"),
        ...["QueuesControl", "QueuesDelivery", "QueuesSlowLane"].map((queue) => `sqs:SendMessage on ${queue}`),
      ]),
    );
  });

  test("each writes its own log group only", () => {
    for (const name of ["Ingress", "Delivery", "Admin", "Sweeper"]) {
      const logs = statements(template, `Relay${name}`).filter(({ Action }) => list(Action)[0]?.startsWith("logs:"));
      const [logId] = resources(template, "::LogGroup", `Relay${name}`).map(([id]) => id);
      expect(logs.map(({ Resource }) => flat(Resource))).toEqual([`<${logId}.Arn>`]);
    }
  });

  test("no role has a managed policy", () => {
    const managed = resources(template, "::IAM::Role").map(([, { Properties }]) => Properties["ManagedPolicyArns"]);
    expect(managed.every((policies) => policies === undefined)).toBe(true);
  });
});

describe("wildcards", () => {
  const inPolicies = (of: typeof template): Statement[] =>
    resources(of, "::IAM::Policy").flatMap(([, { Properties }]) => {
      return (Properties["PolicyDocument"] as { Statement: Statement[] }).Statement;
    });
  const anything = (of: typeof template) =>
    inPolicies(of).filter(({ Resource }) => list(Resource).some((resource) => resource === "*"));

  test("no action has one", () => {
    const actions = inPolicies(template).flatMap(({ Action }) => list(Action));
    expect(actions.filter((action) => action.includes("*"))).toEqual([]);
  });

  test('the resource is "*" nowhere but for metrics, and in the policy of the key, where it means that key', () => {
    // Metrics are no resources.
    const all = anything(template).map(({ Action }) => Action);
    expect(all).toEqual(["cloudwatch:GetMetricData"]);
    const [owner, ...others] = properties(template, "::KMS::Key").KeyPolicy.Statement;
    expect(owner).toMatchObject({ Action: "kms:*", Resource: "*" });
    expect(flat(owner.Principal.AWS)).toBe("arn:<AWS::Partition>:iam::<AWS::AccountId>:root");
    expect(others).toEqual([]);
  });

  test("with vpc also for network interfaces, which do not exist yet", () => {
    const of = relayTemplate((stack) => ({ vpc: aVpc(stack) }));
    const found = anything(of).flatMap(({ Action }) => list(Action));
    const interfaces = found.filter((action) => action !== "cloudwatch:GetMetricData");
    expect(interfaces).toHaveLength(4 * 6);
    expect(interfaces.every((action) => /^ec2:\w+(NetworkInterfaces?|Subnets|PrivateIpAddresses)$/.test(action))).toBe(
      true,
    );
  });
});
