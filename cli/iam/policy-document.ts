/** An IAM policy document, as far as ours need one. */
export interface PolicyDocument {
  readonly Version: "2012-10-17";
  readonly Statement: readonly Statement[];
}

export interface Statement {
  readonly Sid: string;
  readonly Effect: "Allow";
  readonly Action: string;
  readonly Resource: readonly string[];
}

/** Where things are that a policy names. What is not known is a placeholder, see `placeholders`. */
export interface Place {
  readonly region: string;
  /** Twelve digits. */
  readonly account: string;
}

/** Stand where a value is not known, to be replaced by hand. */
export const placeholders = {
  region: "REGION",
  account: "ACCOUNT_ID",
  apiId: "API_ID",
  stack: "STACK_NAME",
} as const;

export const policyDocument = (...statements: readonly Statement[]): PolicyDocument => ({
  Version: "2012-10-17",
  Statement: statements,
});

/** The partition that a region belongs to. */
export function partitionOf(region: string): string {
  if (region.startsWith("cn-")) return "aws-cn";
  return region.startsWith("us-gov-") ? "aws-us-gov" : "aws";
}
