import { CliError } from "./cli-error.js";
import type { Io } from "./io.js";

/** All of stdin; a terminal is told what it is waiting for. */
export function readAll(io: Io, what: string): Promise<Buffer> {
  if (io.stdin.isTTY) io.stderr.write(`Reading ${what} from the terminal; end it with Ctrl-D.\n`);
  return io.stdin.read();
}

/** Asks before something is lost. Where nobody can be asked, the command itself is the answer. */
export async function confirmed(io: Io, question: string, yes: boolean | undefined): Promise<boolean> {
  if (yes === true || !io.stdin.isTTY || !io.stderr.isTTY) return true;
  return /^y(es)?$/i.test((await io.stdin.ask(`${question} [y/N] `)).trim());
}

/** For commands that do one thing. */
export async function requireConfirmation(io: Io, question: string, yes: boolean | undefined): Promise<void> {
  if (!(await confirmed(io, question, yes))) throw new CliError("Nothing was changed.");
}
