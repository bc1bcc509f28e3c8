import { RemovalPolicy, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import { Steadyhook } from "../../lib/steadyhook.js";
import { anApp, relayTemplate, resources, sorted, stubFunctions } from "./relay-template.js";

const template = relayTemplate();
const all = resources(template, "");

describe("a relay", () => {
  test("consists of these kinds of resources, none of them custom", () => {
    expect(sorted(new Set(all.map(([, { Type }]) => Type)))).toEqual([
      "AWS::ApiGatewayV2::Api",
      "AWS::ApiGatewayV2::Integration",
      "AWS::ApiGatewayV2::Route",
      "AWS::ApiGatewayV2::Stage",
      "AWS::CloudWatch::Dashboard",
      "AWS::DynamoDB::GlobalTable",
      "AWS::Events::Rule",
      "AWS::IAM::Policy",
      "AWS::IAM::Role",
      "AWS::KMS::Key",
      "AWS::Lambda::EventSourceMapping",
      "AWS::Lambda::Function",
      "AWS::Lambda::Permission",
      "AWS::Logs::LogGroup",
      "AWS::S3::Bucket",
      "AWS::S3::BucketPolicy",
      "AWS::SQS::Queue",
      "AWS::SQS::QueuePolicy",
      "AWS::Scheduler::ScheduleGroup",
    ]);
  });

  test("has no physical names (an API's name is a label, an inline policy's is its logical id)", () => {
    const nameProps = /^(\w+Name|Name|AliasName)$/;
    const references = ["FunctionName", "StageName", "PolicyName"];
    const named = all
      .filter(([, { Type }]) => Type !== "AWS::ApiGatewayV2::Api")
      .flatMap(([id, { Properties }]) => Object.keys(Properties ?? {}).map((prop) => `${id}.${prop}`))
      .filter((path) => {
        const prop = path.split(".")[1] as string;
        return nameProps.test(prop) && !references.includes(prop);
      });
    expect(named).toEqual([]);
  });

  test("exports nothing", () => {
    for (const output of Object.values(template.findOutputs("*"))) expect(output["Export"]).toBeUndefined();
  });

  test("fits a stack twice, and each has outputs of its own", () => {
    const stack = new Stack(anApp(), "Test");
    new Steadyhook(stack, "Orders", { alarms: false, functionsPath: stubFunctions });
    new Steadyhook(stack, "Invoices", { alarms: false, functionsPath: stubFunctions });
    const both = Template.fromStack(stack);
    expect(resources(both, "")).toHaveLength(2 * all.length);
    const descriptions = Object.values(both.findOutputs("*")).map(({ Description }) => Description);
    expect(new Set(descriptions).size).toBe(descriptions.length);
    expect(descriptions).toContainEqual(expect.stringMatching(/^Steadyhook AdminUrl \(Test\/Orders\): /));
  });
});

describe("what must not be lost", () => {
  test("stays when the stack goes", () => {
    for (const type of ["::GlobalTable", "::S3::Bucket", "::KMS::Key", "::LogGroup"]) {
      for (const [, resource] of resources(template, type)) {
        expect(resource).toMatchObject({ DeletionPolicy: "Retain", UpdateReplacePolicy: "Retain" });
      }
    }
  });

  test("goes with the stack if removalPolicy says so", () => {
    const of = relayTemplate({ removalPolicy: RemovalPolicy.DESTROY });
    const kept = resources(of, "").filter(([, { DeletionPolicy }]) => DeletionPolicy === "Retain");
    expect(kept).toEqual([]);
  });
});
