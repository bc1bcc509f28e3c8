import { Argument, type Command, InvalidArgumentError } from "commander";
import { usageError } from "../cli-error.js";
import { type CallerRole, callerRoles, callStatement, findStatement, type RelayApi } from "../iam/call-statement.js";
import { defaultQualifier, deployStatement } from "../iam/deploy-statement.js";
import { type PolicyDocument, placeholders, policyDocument } from "../iam/policy-document.js";
import type { Io } from "../io.js";
import { describeCommand, run } from "../program.js";
import type { Session } from "../session.js";
import { printableJson } from "../text.js";

interface PolicyOptions {
  readonly source?: string;
  readonly findStack?: boolean;
  readonly account?: string;
  readonly apiId?: string;
  readonly qualifier?: string;
}

/** `steadyhook iam-policy`: what a role must be allowed, as the construct's grants give it. Asks no relay. */
export function addIamPolicy(root: Command, io: Io): void {
  const command = describeCommand(
    root.command("iam-policy"),
    "Print the least IAM policy of a role, as JSON: what the construct's grants give, for roles that CDK does not make.",
    [
      ["iam-policy read --stack Relay", "of a relay on AWS"],
      ["iam-policy operate --stack Relay --find-stack", "for somebody who uses this command line"],
      ["iam-policy publish --source customer-7 --region eu-central-1 --account 123456789012 --api-id a1b2c3d4e5"],
      ["iam-policy deploy --region eu-central-1", "what is not said is a placeholder"],
    ],
  )
    .addArgument(
      new Argument(
        "<role>",
        "publish: send events; read: look; operate: replay, pause, … too; admin: all of the admin API; " +
          "deploy: deploy the stack",
      ).choices([...callerRoles, "deploy"]),
    )
    .option("--source <id>", "publish: to this source only", matching(/^[A-Za-z0-9_-]{1,64}$/, "a source's id"))
    .option("--find-stack", "also what --stack itself needs: to read the stack's outputs")
    .option("--account <id>", "AWS account of the relay", matching(/^\d{12}$/, "twelve digits"))
    .option("--api-id <id>", "id of the relay's HTTP API", matching(/^[a-z0-9]+$/, "an id such as a1b2c3d4e5"))
    .option(
      "--qualifier <text>",
      `deploy: qualifier of the bootstrap (default: ${defaultQualifier})`,
      matching(/^[A-Za-z0-9_-]{1,10}$/, "up to ten letters and digits"),
    );
  run(io, command, print);
}

/** What stands in an ARN must not be more than it seems: a `*` would allow more. */
const matching = (pattern: RegExp, what: string) => (value: string) => {
  if (pattern.test(value)) return value;
  throw new InvalidArgumentError(`It must be ${what}.`);
};

async function print(session: Session, options: PolicyOptions, role = ""): Promise<void> {
  const { source, qualifier, findStack } = options;
  if (source !== undefined && role !== "publish") throw usageError("--source is for the role publish only.");
  if (role === "deploy" && findStack === true) throw usageError("--find-stack is for roles that call the relay.");
  if (qualifier !== undefined && role !== "deploy") throw usageError("--qualifier is for the role deploy only.");
  const api = await apiOf(session, options, role);
  const document = role === "deploy" ? policyDocument(deployStatement(api, qualifier)) : callerPolicy();
  session.line(printableJson(document));
  const open = Object.values(placeholders).filter((each) => JSON.stringify(document).includes(each));
  if (open.length > 0) session.note(`To be replaced: ${open.join(", ")}.`);

  function callerPolicy(): PolicyDocument {
    const statement = callStatement(role as CallerRole, api, source);
    if (findStack !== true) return policyDocument(statement);
    return policyDocument(statement, findStatement(session.options.stack ?? placeholders.stack, api));
  }
}

/** As the stack says it, or as the options do. */
async function apiOf(session: Session, { account, apiId }: PolicyOptions, role: string): Promise<RelayApi> {
  const { stack, region, profile, relay } = session.options;
  const { region: noRegion, account: noAccount, apiId: noApiId } = placeholders;
  if (stack === undefined) {
    return { region: region ?? noRegion, account: account ?? noAccount, apiId: apiId ?? noApiId };
  }
  if (account !== undefined) throw usageError("--stack says the account: leave --account out.");
  const { findStackRelay } = await import("../aws/stack.js");
  const found = await findStackRelay({ stack, region, profile, relay });
  const inName = /^([a-z0-9]+)\.execute-api\./.exec(new URL(found.adminUrl).hostname)?.[1];
  const id = apiId ?? inName ?? (role === "deploy" ? noApiId : undefined);
  if (id !== undefined) return { region: found.region, account: found.account, apiId: id };
  throw usageError(
    `The relay is reached by a domain of its own, ${found.adminUrl}, which does not say the API's id.`,
    `Pass --api-id: aws cloudformation list-stack-resources --stack-name ${stack} --query ` +
      `"StackResourceSummaries[?ResourceType=='AWS::ApiGatewayV2::Api'].PhysicalResourceId"`,
  );
}
