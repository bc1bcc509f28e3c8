import { readFile } from "node:fs/promises";
import { CliError, usageError } from "./cli-error.js";
import type { Io } from "./io.js";
import { readAll } from "./read-input.js";

/**
 * A secret from where it does not land in the shell's history: `env:NAME`, `@FILE` or `-` (stdin). One line break at
 * the end, which editors and `echo` add, is not part of it. Taken as it stands it works too, with a warning.
 */
export async function readSecret(given: string, io: Io): Promise<string> {
  if (given === "-") return withoutLineEnd(await readAll(io, "the secret"));
  if (given.startsWith("@")) return withoutLineEnd(await readSecretFile(given.slice(1)));
  if (given.startsWith("env:")) return fromEnvironment(given.slice(4), io);
  io.stderr.write("warning: a secret on the command line stays in the shell's history; use env:NAME, @FILE or -.\n");
  return given;
}

async function readSecretFile(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new CliError(`The secret's file cannot be read: ${(error as Error).message}`, { exitCode: 2 });
  }
}

function fromEnvironment(name: string, { env }: Io): string {
  const value = env[name];
  if (value !== undefined && value !== "") return value;
  throw usageError(`The environment variable ${name} is not set.`, `Set it, or give the secret as @FILE or -.`);
}

function withoutLineEnd(bytes: Buffer): string {
  const value = bytes.toString("utf8").replace(/\r?\n$/, "");
  if (value === "") throw usageError("The secret is empty.");
  return value;
}
