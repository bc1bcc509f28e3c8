import type { LocalAccount } from "./aws/arns.js";
import { type AwsCall, needsOf } from "./aws/iam/needs.js";
import { isAllowed, type Need, type Statement } from "./aws/iam/statement.js";
import type { Permissions } from "./read-permissions.js";
import type { Wiring } from "./wiring.js";

/**
 * Holds functions and schedules to the roles that the template gives them, so that a permission that is missing on AWS
 * is missing here. A function is known by its access key id, which is its name; whoever else calls may do everything, as
 * the account's owner may.
 */
export class Access {
  readonly #callers: ReadonlyMap<string, readonly Statement[]>;
  readonly #partitionKeys: ReadonlyMap<string, string | undefined>;

  constructor(
    wiring: Pick<Wiring, "functions" | "tables">,
    permissions: Permissions,
    private readonly account: LocalAccount,
  ) {
    const ofRole = (arn: string) => permissions.get(arn) ?? [];
    this.#callers = new Map([
      ...permissions,
      ...wiring.functions.map(({ name, roleArn }) => [name, ofRole(roleArn)] as const),
    ]);
    this.#partitionKeys = new Map(
      wiring.tables.map(({ name, keySchema }) => [
        name,
        keySchema.find(({ KeyType }) => KeyType === "HASH")?.AttributeName,
      ]),
    );
  }

  /** What the caller would have to be allowed for this call and is not; null: it may make it. */
  missing(caller: string, call: AwsCall): Need | null {
    const statements = this.#callers.get(caller);
    if (statements === undefined) return null;
    const needs = needsOf(call, this.account, (table) => this.#partitionKeys.get(table));
    return needs.find((need) => !isAllowed(statements, need)) ?? null;
  }
}
