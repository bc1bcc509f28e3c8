import { readFileSync } from "node:fs";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { type IGrantable, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { describe, expect, it } from "vitest";
import type { Steadyhook } from "../../lib/steadyhook.js";
import { SteadyhookStack } from "../../lib/steadyhook-stack.js";
import { flat, list, statements, stubFunctions } from "../lib/relay-template.js";
import { runCli } from "./run-cli.js";

const env = { region: "eu-central-1", account: "123456789012" };
const place = ["--region", env.region, "--account", env.account];

const aStack = () => new SteadyhookStack(new App(), "Relay", { env, alarms: false, functionsPath: stubFunctions });

const policy = (...args: string[]) => runCli(["iam-policy", ...args]);

/** What is allowed, without the words around it. */
async function printed(...args: string[]) {
  const { code, stdout } = await policy(...args);
  expect(code).toBe(0);
  const { Version, Statement } = JSON.parse(stdout);
  expect(Version).toBe("2012-10-17");
  return Statement.map(({ Sid: _name, ...rest }: { Sid: string }) => rest);
}

/** The same of a grant, with the API's id as it is passed to the command. */
function granted(grant: (relay: Steadyhook, grantee: IGrantable) => unknown) {
  const stack = aStack();
  grant(stack.relay, new Role(stack, "Caller", { assumedBy: new ServicePrincipal("ec2.amazonaws.com") }));
  return statements(Template.fromStack(stack), "Caller").map(({ Effect, Action, Resource }) => ({
    Effect,
    Action,
    Resource: list(Resource).map((arn) => flat(arn).replace("<AWS::Partition>", "aws").replace(/<\w+>/, "a1b2c3")),
  }));
}

describe("the policy of a role that calls the relay", () => {
  it.each([
    ["publish", (relay: Steadyhook, caller: IGrantable) => relay.grantPublish(caller)],
    [
      "publish --source customer-7",
      (relay: Steadyhook, caller: IGrantable) => relay.grantPublish(caller, "customer-7"),
    ],
    ["read", (relay: Steadyhook, caller: IGrantable) => relay.grantRead(caller)],
    ["operate", (relay: Steadyhook, caller: IGrantable) => relay.grantOperate(caller)],
    ["admin", (relay: Steadyhook, caller: IGrantable) => relay.grantAdmin(caller)],
  ] as const)("%s: is what the grant gives", async (role, grant) => {
    expect(await printed(...role.split(" "), ...place, "--api-id", "a1b2c3")).toEqual(granted(grant));
  });

  it("has placeholders for what is not said, and names them", async () => {
    const { stdout, stderr } = await policy("read", "--find-stack");
    expect(stdout).toContain("arn:aws:execute-api:REGION:ACCOUNT_ID:API_ID/$default/GET/admin/*");
    expect(stdout).toContain("arn:aws:cloudformation:REGION:ACCOUNT_ID:stack/STACK_NAME/*");
    expect(stderr).toBe("To be replaced: REGION, ACCOUNT_ID, API_ID, STACK_NAME.\n");
  });

  it("knows the partitions of China and of the US government", async () => {
    expect((await policy("admin", "--region", "cn-north-1")).stdout).toContain("arn:aws-cn:execute-api:cn-north-1:");
    expect((await policy("admin", "--region", "us-gov-west-1")).stdout).toContain("arn:aws-us-gov:execute-api:");
  });

  it("allows no more than it seems to: what has a wildcard is refused", async () => {
    for (const args of ["publish --source *", "read --account *", "read --api-id *", "write"]) {
      expect([args, (await policy(...args.split(" "))).code]).toEqual([args, 2]);
    }
    for (const args of ["read --source a", "read --qualifier a", "deploy --find-stack"]) {
      expect([args, (await policy(...args.split(" "))).code]).toEqual([args, 2]);
    }
  });
});

describe("the policy of who deploys the stack", () => {
  it("names the roles that CDK says it will become, and no other", async () => {
    const assembly = (aStack().node.root as App).synth();
    const { assumeRoleArn, lookupRole } = assembly.getStackByName("Relay");
    const assets = JSON.parse(readFileSync(join(assembly.directory, "Relay.assets.json"), "utf8")) as Assets;
    const published = [...Object.values(assets.files), ...Object.values(assets.dockerImages)];
    const publishing = published.flatMap(({ destinations }) => Object.values(destinations));
    const becomes = [assumeRoleArn, lookupRole?.arn, ...publishing.map((each) => each.assumeRoleArn)];
    const arns = becomes.map((arn) => arn?.replace(/\$\{AWS::Partition\}/, "aws"));
    const [{ Action, Resource }] = await printed("deploy", ...place);
    expect(Action).toBe("sts:AssumeRole");
    expect(new Set(Resource)).toEqual(new Set(arns));
  });

  it("takes the qualifier of another bootstrap", async () => {
    const [{ Resource }] = await printed("deploy", ...place, "--qualifier", "team");
    expect(Resource[0]).toBe("arn:aws:iam::123456789012:role/cdk-team-deploy-role-123456789012-eu-central-1");
  });
});

interface Published {
  readonly destinations: Readonly<Record<string, { readonly assumeRoleArn: string }>>;
}

interface Assets {
  readonly files: Readonly<Record<string, Published>>;
  readonly dockerImages: Readonly<Record<string, Published>>;
}
