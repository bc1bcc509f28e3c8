import { Argument, type Command, InvalidArgumentError } from "commander";
import type { RoleOptions } from "../iam/role-policy.js";
import { type PolicyRole, policyRoles } from "../iam/roles.js";
import type { Io } from "../io.js";
import { describeCommand, run } from "../program.js";
import type { Session } from "../session.js";
import { printableJson } from "../text.js";

/** `steadyhook iam-policy`: what a role must be allowed, as the construct's grants give it. Asks no relay. */
export function addIamPolicy(root: Command, io: Io): void {
  const command = describeCommand(
    root.command("iam-policy"),
    "Print the least IAM policy of a role, as JSON: what the construct's grants give, for roles that CDK does not make.",
    [
      ["iam-policy read --stack Relay", "of a relay on AWS"],
      ["iam-policy operate --stack Relay --find-stack", "for somebody who uses this command line"],
      ["iam-policy publish --source customer-7 --region eu-central-1 --account 123456789012 --api-id a1b2c3d4e5"],
      ["iam-policy deploy --region eu-central-1", "what is not said is a placeholder"],
    ],
  )
    .addArgument(
      new Argument(
        "<role>",
        "publish: send events; read: look; operate: replay, pause, … too; admin: all of the admin API; " +
          "deploy: deploy the stack",
      ).choices(policyRoles),
    )
    .option("--source <id>", "publish: to this source only", matching(/^[A-Za-z0-9_-]{1,64}$/, "a source's id"))
    .option("--find-stack", "also what --stack itself needs: to read the stack's outputs")
    .option("--account <id>", "AWS account of the relay", matching(/^\d{12}$/, "twelve digits"))
    .option("--api-id <id>", "id of the relay's HTTP API", matching(/^[a-z0-9]+$/, "an id such as a1b2c3d4e5"))
    .option(
      "--qualifier <text>",
      "deploy: qualifier of the bootstrap, where it is not the usual one",
      matching(/^[A-Za-z0-9_-]{1,10}$/, "up to ten letters and digits"),
    );
  run(io, command, print);
}

/** What stands in an ARN must not be more than it seems: a `*` would allow more. */
const matching = (pattern: RegExp, what: string) => (value: string) => {
  if (pattern.test(value)) return value;
  throw new InvalidArgumentError(`It must be ${what}.`);
};

async function print(session: Session, options: RoleOptions, role = ""): Promise<void> {
  const { rolePolicy } = await import("../iam/role-policy.js");
  const { document, open } = await rolePolicy(role as PolicyRole, options, session.options);
  session.line(printableJson(document));
  if (open.length > 0) session.note(`To be replaced: ${open.join(", ")}.`);
}
