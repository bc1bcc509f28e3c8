import type { HttpApi as GatewayApi } from "aws-cdk-lib/aws-apigatewayv2";
import { Grant, type IGrantable } from "aws-cdk-lib/aws-iam";

/** One kind of call: a method and a path in which `*` stands for anything. */
type Call = readonly [method: string, path: string];

const readCalls: readonly Call[] = [
  ["GET", "/admin/*"],
  // Reads too: its question does not fit into a query.
  ["POST", "/admin/policy/preview"],
];

const operateCalls: readonly Call[] = [
  ...readCalls,
  ["POST", "/admin/deliveries/*/replay"],
  ["POST", "/admin/deliveries/*/cancel"],
  ["POST", "/admin/subscriptions/*/pause"],
  ["POST", "/admin/subscriptions/*/resume"],
  ["POST", "/admin/replays"],
  ["PATCH", "/admin/replays/*"],
  ["DELETE", "/admin/replays/*"],
  ["POST", "/admin/subscriptions/*/test"],
  ["POST", "/admin/faults/*/redrive"],
  // Both read, and are told whether a signature is right.
  ["POST", "/admin/sources/*/verify"],
  ["POST", "/admin/events/*/verify"],
];

const adminCalls: readonly Call[] = [["*", "/admin/*"]];

/** What each role may call, from little to much. */
export const calls = { read: readCalls, operate: operateCalls, admin: adminCalls } as const;

/** Allows `grantee` to make signed calls of the given kinds to the API's only stage. */
export function grantCalls(api: GatewayApi, grantee: IGrantable, allowed: readonly Call[]): Grant {
  return Grant.addToPrincipal({
    grantee,
    actions: ["execute-api:Invoke"],
    resourceArns: allowed.map(([method, path]) => api.arnForExecuteApi(method, path, "$default")),
  });
}
