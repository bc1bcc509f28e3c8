import { describe, expect, it } from "vitest";
import { Access } from "../../local/access.js";
import { readStatement } from "../../local/aws/iam/statement.js";

const account = { region: "us-east-1", accountId: "000000000000" };
const table = "arn:aws:dynamodb:us-east-1:000000000000:table/Items";
const roleArn = "arn:aws:iam::000000000000:role/Reader";

/** A function `Reader` with these statements, and a table `Items`. */
function accessWith(...statements: Record<string, unknown>[]): Access {
  const keySchema = [
    { AttributeName: "pk", KeyType: "HASH" },
    { AttributeName: "sk", KeyType: "RANGE" },
  ];
  const tables = [{ name: "Items", keySchema, attributeDefinitions: [], indexes: [], ttlAttribute: null }];
  const functions = [{ name: "Reader", roleArn }] as never;
  const permissions = new Map([[roleArn, statements.map((each) => readStatement({ Effect: "Allow", ...each }))]]);
  return new Access({ functions, tables }, permissions, account);
}

const dynamodb = (operation: string, input: object) => ({ service: "dynamodb", operation, input }) as never;
const get = (pk: string) => dynamodb("GetItem", { TableName: "Items", Key: { pk: { S: pk }, sk: { S: "x" } } });

describe("a function", () => {
  it("may do what a statement of its role says, and is told what is missing for the rest", () => {
    const access = accessWith({ Action: ["dynamodb:GetItem"], Resource: table });
    expect(access.missing("Reader", get("EVT#1"))).toBeNull();
    expect(access.missing("Reader", dynamodb("Query", { TableName: "Items" }))).toMatchObject({
      action: "dynamodb:Query",
      resource: table,
    });
    expect(access.missing("Reader", dynamodb("GetItem", { TableName: "Others" }))).not.toBeNull();
    expect(accessWith().missing("Reader", get("EVT#1"))).not.toBeNull();
  });

  it("needs an index by its own name", () => {
    const access = accessWith({ Action: "dynamodb:Query", Resource: `${table}/index/due` });
    expect(access.missing("Reader", dynamodb("Query", { TableName: "Items", IndexName: "due" }))).toBeNull();
    expect(access.missing("Reader", dynamodb("Query", { TableName: "Items", IndexName: "state" }))).not.toBeNull();
    expect(access.missing("Reader", dynamodb("Query", { TableName: "Items" }))).not.toBeNull();
  });

  it("reaches only the items that a condition names, in a batch all of them", () => {
    const Condition = { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["EVT#*"] } };
    const access = accessWith({ Action: ["dynamodb:GetItem", "dynamodb:BatchGetItem"], Resource: table, Condition });
    const batch = (...keys: string[]) =>
      dynamodb("BatchGetItem", { RequestItems: { Items: { Keys: keys.map((pk) => ({ pk: { S: pk } })) } } });
    expect(access.missing("Reader", get("EVT#1"))).toBeNull();
    expect(access.missing("Reader", get("SRC#1"))).not.toBeNull();
    expect(access.missing("Reader", batch("EVT#1", "EVT#2"))).toBeNull();
    expect(access.missing("Reader", batch("EVT#1", "SRC#2"))).not.toBeNull();
  });

  it("sends a batch as it sends one message, to the queue of the ARN", () => {
    const access = accessWith({ Action: "sqs:SendMessage", Resource: "arn:aws:sqs:us-east-1:000000000000:Delivery" });
    const send = (operation: string, name: string) =>
      ({ service: "sqs", operation, input: { QueueUrl: `http://127.0.0.1:1/000000000000/${name}` } }) as const;
    expect(access.missing("Reader", send("SendMessageBatch", "Delivery"))).toBeNull();
    expect(access.missing("Reader", send("SendMessage", "Control"))).not.toBeNull();
    expect(access.missing("Reader", send("DeleteMessage", "Delivery"))).not.toBeNull();
  });

  it("hands a schedule only the role that it may pass, to the scheduler", () => {
    const passRole = (service: string) => ({
      Action: "iam:PassRole",
      Resource: "arn:aws:iam::000000000000:role/Sender",
      Condition: { StringEquals: { "iam:PassedToService": service } },
    });
    const create = {
      Action: "scheduler:CreateSchedule",
      Resource: "arn:aws:scheduler:us-east-1:000000000000:schedule/retries/*",
    };
    const call = (RoleArn: string) => ({
      service: "scheduler" as const,
      method: "POST",
      path: ["schedules", "one"],
      query: new URLSearchParams(),
      input: { GroupName: "retries", Target: { RoleArn } },
    });
    const may = accessWith(create, passRole("scheduler.amazonaws.com"));
    expect(may.missing("Reader", call("arn:aws:iam::000000000000:role/Sender"))).toBeNull();
    expect(may.missing("Reader", call("arn:aws:iam::000000000000:role/Admin"))?.action).toBe("iam:PassRole");
    const other = accessWith(create, passRole("lambda.amazonaws.com"));
    expect(other.missing("Reader", call("arn:aws:iam::000000000000:role/Sender"))?.action).toBe("iam:PassRole");
  });

  it("is denied what one statement allows and another one denies", () => {
    const access = accessWith(
      { Action: "dynamodb:*", Resource: "*" },
      { Effect: "Deny", Action: "dynamodb:GetItem", Resource: table },
    );
    expect(access.missing("Reader", get("EVT#1"))).not.toBeNull();
    expect(access.missing("Reader", dynamodb("Query", { TableName: "Items" }))).toBeNull();
  });

  it("puts objects where the path allows it", () => {
    const access = accessWith({ Action: ["s3:GetObject", "s3:PutObject"], Resource: "arn:aws:s3:::bucket/bodies/*" });
    const object = (method: string, key: string) => ({ service: "s3", method, bucket: "bucket", key }) as const;
    expect(access.missing("Reader", object("PUT", "bodies/evt_1"))).toBeNull();
    expect(access.missing("Reader", object("HEAD", "bodies/evt_1"))).toBeNull();
    expect(access.missing("Reader", object("DELETE", "bodies/evt_1"))?.action).toBe("s3:DeleteObject");
    expect(access.missing("Reader", object("PUT", "faults/flt_1"))).not.toBeNull();
    expect(access.missing("Reader", object("GET", ""))?.action).toBe("s3:ListBucket");
  });
});

it("whoever is no function may do everything, as the account's owner may", () => {
  expect(accessWith().missing("local", get("EVT#1"))).toBeNull();
});

describe("a policy", () => {
  const statement = { Effect: "Allow", Action: "a:b", Resource: "*" };
  it("in words that nobody here knows is not guessed at", () => {
    expect(() => readStatement({ ...statement, NotAction: "a:c" })).toThrow("NotAction");
    expect(() => readStatement({ ...statement, Condition: { IpAddress: { "aws:SourceIp": "10.0.0.0/8" } } })).toThrow(
      "IpAddress",
    );
  });
});
