import { calls, publishCalls, stageName } from "../../lib/access-calls.js";
import { type Place, partitionOf, type Statement } from "./policy-document.js";
import type { CallerRole } from "./roles.js";

/** The API of one relay. */
export interface RelayApi extends Place {
  readonly apiId: string;
}

/**
 * What the grant of the same name gives. A `*` in a path stands for ids that are not known beforehand; `admin` has every
 * method, since it may do everything below `/admin`.
 *
 * @param sourceId the only source that `publish` is for; default: every source
 */
export function callStatement(role: CallerRole, { region, account, apiId }: RelayApi, sourceId = "*"): Statement {
  const allowed = role === "publish" ? publishCalls(sourceId) : calls[role];
  const api = `arn:${partitionOf(region)}:execute-api:${region}:${account}:${apiId}`;
  return {
    Sid: "CallRelay",
    Effect: "Allow",
    Action: "execute-api:Invoke",
    Resource: allowed.map(([method, path]) => `${api}/${stageName}/${method}${path}`),
  };
}

/** What `--stack` needs to find a relay: the outputs of this stack. The `*` is the id that a stack gets anew when it is made. */
export function findStatement(stack: string, { region, account }: Place): Statement {
  return {
    Sid: "FindRelay",
    Effect: "Allow",
    Action: "cloudformation:DescribeStacks",
    Resource: [`arn:${partitionOf(region)}:cloudformation:${region}:${account}:stack/${stack}/*`],
  };
}
