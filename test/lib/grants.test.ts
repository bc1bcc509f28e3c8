import { Template } from "aws-cdk-lib/assertions";
import { type IGrantable, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { describe, expect, test } from "vitest";
import type { Steadyhook } from "../../lib/steadyhook.js";
import { aRelay, flat, list, sorted, statements } from "./relay-template.js";

/** `METHOD path` of every call that a grant allows. */
function allowedCalls(grant: (relay: Steadyhook, grantee: IGrantable) => unknown): string[] {
  const { stack, relay } = aRelay();
  const caller = new Role(stack, "Caller", { assumedBy: new ServicePrincipal("ec2.amazonaws.com") });
  grant(relay, caller);
  return statements(Template.fromStack(stack), "Caller").flatMap(({ Action, Resource }) => {
    expect(list(Action)).toEqual(["execute-api:Invoke"]);
    return list(Resource).map((arn) => {
      const [, method, path] = /:execute-api:.*>\/\$default\/([^/]+)(\/.+)$/.exec(flat(arn)) ?? [];
      return `${method} ${path}`;
    });
  });
}

describe("grants allow signed calls to this API's stage", () => {
  test("grantPublish: to publish, to every source or to one", () => {
    expect(allowedCalls((relay, caller) => relay.grantPublish(caller))).toEqual(["POST /publish/*"]);
    expect(allowedCalls((relay, caller) => relay.grantPublish(caller, "acme"))).toEqual(["POST /publish/acme"]);
  });

  test("grantRead: every GET of the admin API, and the preview of a policy", () => {
    const calls = allowedCalls((relay, caller) => relay.grantRead(caller));
    expect(calls).toEqual(["GET /admin/*", "POST /admin/policy/preview"]);
  });

  test("grantOperate: besides, what moves deliveries, and nothing that changes configuration or erases", () => {
    const calls = allowedCalls((relay, caller) => relay.grantOperate(caller));
    expect(sorted(calls)).toEqual([
      "DELETE /admin/replays/*",
      "GET /admin/*",
      "PATCH /admin/replays/*",
      "POST /admin/deliveries/*/cancel",
      "POST /admin/deliveries/*/replay",
      "POST /admin/events/*/verify",
      "POST /admin/faults/*/redrive",
      "POST /admin/policy/preview",
      "POST /admin/replays",
      "POST /admin/sources/*/verify",
      "POST /admin/subscriptions/*/pause",
      "POST /admin/subscriptions/*/resume",
      "POST /admin/subscriptions/*/test",
    ]);
  });

  test("grantAdmin: the whole admin API, but not to publish", () => {
    expect(allowedCalls((relay, caller) => relay.grantAdmin(caller))).toEqual(["* /admin/*"]);
  });
});
