import { Stack, Validations } from "aws-cdk-lib";
import type { Construct } from "constructs";

/** Tells cdk-nag, where it is used, that a finding at `construct` (or below it) is meant, and why. */
export function acknowledge(construct: Construct, id: string, reason: string): void {
  Validations.of(construct).acknowledge({ id, reason });
}

/** The same for a permission on `resource`, an ARN that ends in a wildcard; no other wildcard is covered by it. */
export function acknowledgeWildcard(construct: Construct, resource: string, reason: string): void {
  const shown = showArn(Stack.of(construct).resolve(resource));
  try {
    acknowledge(construct, `AwsSolutions-IAM5[Resource::${shown}]`, reason);
  } catch {
    // CDK up to 2.267 refuses the id that cdk-nag itself gives to a finding with pseudo parameters. Who
    // uses both cannot acknowledge it at all; who does not use cdk-nag must not be stopped by it.
  }
}

/** An ARN as cdk-nag writes it: `<LogicalId>` for a reference, `<LogicalId.Attribute>` for an attribute. */
function showArn(resolved: unknown): string {
  if (typeof resolved === "string") return resolved;
  const [[intrinsic, argument]] = Object.entries(resolved as object) as [[string, unknown]];
  if (intrinsic === "Ref") return `<${argument}>`;
  if (intrinsic === "Fn::GetAtt") return `<${(argument as string[]).join(".")}>`;
  if (intrinsic === "Fn::Join") return (argument as [string, unknown[]])[1].map(showArn).join("");
  throw new Error(`An ARN of ${intrinsic} cannot be shown`);
}
