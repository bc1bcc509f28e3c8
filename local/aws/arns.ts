/** Where the local account lives: every ARN is made from it. */
export interface LocalAccount {
  readonly region: string;
  readonly accountId: string;
}

export const arnOf = (account: LocalAccount, service: string, resource: string): string =>
  `arn:aws:${service}:${account.region}:${account.accountId}:${resource}`;

/** The last part of an ARN, whatever its region and account: `arn:aws:sqs:r:a:name` → `name`. Null: not that service. */
export function resourceOf(arn: string, service: string): string | null {
  const parts = arn.split(":");
  return parts[0] === "arn" && parts[2] === service && parts.length >= 6 ? parts.slice(5).join(":") : null;
}
