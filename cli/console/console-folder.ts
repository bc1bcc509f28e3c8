import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CliError } from "../cli-error.js";

/** dist/console of the package that this file is a part of: as a source, or in one of the bundle's chunks. */
export function consoleFolder(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); folder !== dirname(folder); folder = dirname(folder)) {
    const found = join(folder, "dist/console");
    if (existsSync(join(found, "manifest.json"))) return found;
  }
  throw new CliError("The console is not built.", { code: "no_console", fix: "Run `npm run build`." });
}
