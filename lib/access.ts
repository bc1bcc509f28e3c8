import type { HttpApi as GatewayApi } from "aws-cdk-lib/aws-apigatewayv2";
import { Grant, type IGrantable } from "aws-cdk-lib/aws-iam";
import { type Call, stageName } from "./access-calls.js";

/** Allows `grantee` to make signed calls of the given kinds to the API's only stage. */
export function grantCalls(api: GatewayApi, grantee: IGrantable, allowed: readonly Call[]): Grant {
  return Grant.addToPrincipal({
    grantee,
    actions: ["execute-api:Invoke"],
    resourceArns: allowed.map(([method, path]) => api.arnForExecuteApi(method, path, stageName)),
  });
}
