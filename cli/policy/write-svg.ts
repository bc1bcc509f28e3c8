import { writeFile } from "node:fs/promises";
import { CliError } from "../cli-error.js";
import type { Session } from "../session.js";

/** Writes a picture beside the text. */
export async function writeSvg(session: Session, path: string, svg: string): Promise<void> {
  try {
    await writeFile(path, `${svg}\n`);
  } catch (error) {
    throw new CliError(`${path} cannot be written: ${(error as NodeJS.ErrnoException).code ?? String(error)}.`);
  }
  session.note(`wrote ${path}`);
}
