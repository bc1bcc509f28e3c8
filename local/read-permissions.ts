import { readStatement, type Statement } from "./aws/iam/statement.js";
import type { CloudTemplate } from "./cloud-template.js";

/** What the template's roles may do, by the role's ARN. */
export type Permissions = ReadonlyMap<string, readonly Statement[]>;

export function readPermissions(template: CloudTemplate): Permissions {
  const byRole = new Map<string, Statement[]>();
  for (const id of template.ofType("AWS::IAM::Role")) {
    const own = (template.property(id, "Policies") ?? []) as { PolicyDocument: unknown }[];
    const statements = own.flatMap(({ PolicyDocument }) => statementsOf(PolicyDocument));
    byRole.set(String(template.attribute(id, "Arn")), statements);
  }
  const arns = new Map(
    template.ofType("AWS::IAM::Role").map((id) => [template.name(id), String(template.attribute(id, "Arn"))]),
  );
  for (const id of template.ofType("AWS::IAM::Policy")) {
    const statements = statementsOf(template.property(id, "PolicyDocument"));
    for (const role of template.property(id, "Roles") as string[])
      byRole.get(arns.get(role) ?? "")?.push(...statements);
  }
  return byRole;
}

const statementsOf = (document: unknown): Statement[] =>
  (document as { Statement: Record<string, unknown>[] }).Statement.map(readStatement);
