import { type Place, partitionOf, type Statement } from "./policy-document.js";

/** What `cdk bootstrap` names its roles by when it is told nothing else. */
const defaultQualifier = "hnb659fds";

/**
 * What `cdk deploy`, `cdk diff` and `cdk destroy` of the stack need in a bootstrapped account: to become the roles that
 * `cdk bootstrap` made. Those do the rest, and CloudFormation has yet another role, which only the bootstrap says the
 * limits of. No asset is a container image, so the role for images is left out.
 */
export function deployStatement({ region, account }: Place, qualifier = defaultQualifier): Statement {
  const role = (name: string) =>
    `arn:${partitionOf(region)}:iam::${account}:role/cdk-${qualifier}-${name}-role-${account}-${region}`;
  return {
    Sid: "BecomeBootstrapRoles",
    Effect: "Allow",
    Action: "sts:AssumeRole",
    Resource: ["deploy", "file-publishing", "lookup"].map(role),
  };
}
