import { type Command, CommanderError } from "commander";
import { CliError, unexpected } from "./cli-error.js";
import { addApply } from "./commands/apply.js";
import { addAudit } from "./commands/audit.js";
import { addCompletion } from "./commands/completion.js";
import { addConsole } from "./commands/console.js";
import { addCost } from "./commands/cost.js";
import { addDeliveries } from "./commands/deliveries.js";
import { addEvents } from "./commands/events.js";
import { addFaults } from "./commands/faults.js";
import { addFilter } from "./commands/filter.js";
import { addIamPolicy } from "./commands/iam-policy.js";
import { addPolicy } from "./commands/policy.js";
import { addProviders } from "./commands/providers.js";
import { addPublish } from "./commands/publish.js";
import { addQuarantine } from "./commands/quarantine.js";
import { addReplay } from "./commands/replay.js";
import { addSources } from "./commands/sources.js";
import { addStats } from "./commands/stats.js";
import { addSubscriptions } from "./commands/subscriptions.js";
import { addTail } from "./commands/tail.js";
import type { Io } from "./io.js";
import { rootCommand, usageErrorOf } from "./program.js";
import { coloursOf } from "./session.js";
import { printable } from "./text.js";

/**
 * All commands with all their options. A command line is parsed by a program of its own. `tells`: says itself on stderr
 * what is wrong with a command line.
 */
export function steadyhookProgram(io: Io, tells = true): Command {
  const root = rootCommand(io, tells);
  for (const add of [
    addSources,
    addSubscriptions,
    addDeliveries,
    addTail,
    addReplay,
    addEvents,
    addFaults,
    addQuarantine,
    addProviders,
    addPublish,
    addFilter,
    addPolicy,
    addCost,
    addApply,
    addStats,
    addAudit,
    addConsole,
    addIamPolicy,
    addCompletion,
  ])
    add(root, io);
  return root;
}

/** Runs one command line (without `node steadyhook`); gives the exit code: 0 ok, 1 failed, 2 usage. */
export async function main(args: readonly string[], io: Io): Promise<0 | 1 | 2> {
  const asJson = args.includes("--json");
  const root = steadyhookProgram(io, !asJson);
  try {
    await root.parseAsync(helpAsOption(args), { from: "user" });
    return 0;
  } catch (error) {
    const stopped = error instanceof CommanderError ? usageErrorOf(error) : error;
    if (stopped === null) return 0;
    const known = stopped instanceof CliError ? stopped : unexpected(stopped, io.env);
    // Of a command line, commander has said it, and better, unless it was to be JSON.
    if (!(error instanceof CommanderError) || asJson) showError(known, io, asJson);
    return known.exitCode;
  }
}

/** `help sources create` as `sources create --help`: commander's own `help` looks at one word only. */
function helpAsOption(args: readonly string[]): string[] {
  const [first, ...command] = args;
  return first === "help" && command.length > 0 ? [...command, "--help"] : [...args];
}

function showError({ message, details }: CliError, { stderr, env }: Io, asJson: boolean): void {
  const { status, code, fix, fields = [] } = details;
  if (asJson) {
    stderr.write(`${JSON.stringify({ error: { message, status, code, fix, errors: fields } })}\n`);
    return;
  }
  const { red, bold } = coloursOf(stderr, env);
  stderr.write(`${red("error:")} ${printable(message)}\n`);
  for (const { field, reason, fix: fieldFix } of fields) {
    const name = field === "" ? "" : `${bold(printable(field))} `;
    stderr.write(`  ${name}${printable(reason)}${fieldFix === undefined ? "" : ` → ${printable(fieldFix)}`}\n`);
  }
  if (fix !== undefined) stderr.write(`${fix}\n`);
}
