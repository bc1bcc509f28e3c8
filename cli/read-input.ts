import { CliError, usageError } from "./cli-error.js";
import type { Io } from "./io.js";

/** All of stdin; a terminal is told what it is waiting for. */
export function readAll(io: Io, what: string): Promise<Buffer> {
  if (io.stdin.isTTY) io.stderr.write(`Reading ${what} from the terminal; end it with Ctrl-D.\n`);
  return io.stdin.read();
}

/** Asks before something is lost. Where nobody can be asked, a command that names what it is for is the answer itself. */
export async function confirmed(io: Io, question: string, yes: boolean | undefined): Promise<boolean> {
  if (yes === true || !canAsk(io)) return true;
  return /^y(es)?$/i.test((await io.stdin.ask(`${question} [y/N] `)).trim());
}

/** For commands that do one thing. */
export async function requireConfirmation(io: Io, question: string, yes: boolean | undefined): Promise<void> {
  if (!(await confirmed(io, question, yes))) throw new CliError("Nothing was changed.");
}

/** For what is done to many that the command does not name: a script says `--yes`, or it is a usage error. */
export async function requireBulkConfirmation(io: Io, question: string, yes: boolean | undefined): Promise<void> {
  if (yes !== true && !canAsk(io)) {
    throw usageError(`${question} There is no terminal to ask on.`, "Pass --yes if it is meant.");
  }
  await requireConfirmation(io, question, yes);
}

const canAsk = ({ stdin, stderr }: Io): boolean => stdin.isTTY && stderr.isTTY;
