import type { Command } from "commander";
import type { ApplyOptions } from "../apply/apply.js";
import type { Io } from "../io.js";
import { readInputFile } from "../json-document.js";
import { describeCommand, run } from "../program.js";
import { readAll } from "../read-input.js";
import type { Session } from "../session.js";

/** `steadyhook apply FILE`: makes the relay equal a file. */
export function addApply(root: Command, io: Io): void {
  const command = describeCommand(
    root.command("apply"),
    "Make the relay equal a JSON file: shows the difference and changes only that.",
    [
      ["apply relay.json --dry-run", "show what would change"],
      ["apply relay.json"],
      ["apply relay.json --prune", "and delete what the file once made and no longer names"],
      ["apply relay.json --stack Steadyhook --json"],
    ],
  )
    .argument("<file>", "JSON as cli/apply.schema.json says; - is stdin")
    .option("--dry-run", "show the difference, change nothing")
    .option("--prune", "delete what this file's managedBy made and the file no longer names")
    .option("--update-secrets", "send all secrets again (stored ones cannot be compared)")
    .option("--take-over", "also change what another managedBy keeps")
    .option("-y, --yes", "do not ask before deleting");
  run(io, command, apply);
}

async function apply(session: Session, options: ApplyOptions, name = ""): Promise<void> {
  // Loaded here, so that no other command waits for the schemas.
  const { applyFile } = await import("../apply/apply.js");
  const bytes = name === "-" ? await readAll(session.io, "the file") : await readInputFile(name);
  const failure = await applyFile(session, bytes, name === "-" ? "stdin" : name, options);
  if (failure !== null) throw failure;
}
