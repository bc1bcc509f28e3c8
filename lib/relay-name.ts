import { Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";

/** A relay's name in the metrics: that of its stack and its path in it, e.g. `Steadyhook/Steadyhook`. */
export function relayNameOf(relay: Construct): string {
  const stack = Stack.of(relay);
  const below = relay.node.scopes.slice(stack.node.scopes.length).map(({ node }) => node.id);
  return [stack.stackName, ...below].join("/");
}
