import { usageError } from "../cli-error.js";
import type { GlobalOptions } from "../session.js";
import { callStatement, findStatement, type RelayApi } from "./call-statement.js";
import { deployStatement } from "./deploy-statement.js";
import { type PolicyDocument, placeholders, policyDocument } from "./policy-document.js";
import type { PolicyRole } from "./roles.js";

export interface RoleOptions {
  readonly source?: string;
  readonly findStack?: boolean;
  readonly account?: string;
  readonly apiId?: string;
  readonly qualifier?: string;
}

/** The policy of a role, and the placeholders that stand in it. */
export interface RolePolicy {
  readonly document: PolicyDocument;
  readonly open: readonly string[];
}

/** Throws a usage error for what the role has no use for, and where the stack does not say enough. */
export async function rolePolicy(role: PolicyRole, options: RoleOptions, global: GlobalOptions): Promise<RolePolicy> {
  requireUseful(role, options);
  const api = await apiOf(role, options, global);
  const document = documentOf(role, options, api, global.stack);
  const text = JSON.stringify(document);
  return { document, open: Object.values(placeholders).filter((each) => text.includes(each)) };
}

function requireUseful(role: PolicyRole, { source, findStack, qualifier }: RoleOptions): void {
  if (source !== undefined && role !== "publish") throw usageError("--source is for the role publish only.");
  if (qualifier !== undefined && role !== "deploy") throw usageError("--qualifier is for the role deploy only.");
  if (findStack === true && role === "deploy") throw usageError("--find-stack is for roles that call the relay.");
}

function documentOf(role: PolicyRole, options: RoleOptions, api: RelayApi, stack: string | undefined): PolicyDocument {
  const { source, findStack, qualifier } = options;
  if (role === "deploy") return policyDocument(deployStatement(api, qualifier));
  const calls = callStatement(role, api, source);
  return findStack === true
    ? policyDocument(calls, findStatement(stack ?? placeholders.stack, api))
    : policyDocument(calls);
}

/** As the stack says it, or as the options do. */
async function apiOf(role: PolicyRole, { account, apiId }: RoleOptions, global: GlobalOptions): Promise<RelayApi> {
  const { stack, region, profile, relay } = global;
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
