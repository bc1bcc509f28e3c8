import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Code } from "aws-cdk-lib/aws-lambda";

/** Names of the functions, as their folders are called. */
export type FunctionName = "ingress" | "delivery" | "admin" | "sweeper" | "alert";

/**
 * Where built functions may lie, seen from this module: beside the bundle that it ended up in (`dist/lib`, `dist/bin`),
 * or in `dist` of a checkout when it runs from source.
 */
const folders = ["../functions", "../dist/functions"].map((path) => fileURLToPath(new URL(path, import.meta.url)));

/**
 * The built code of a function.
 *
 * @param functionsPath folder to look in instead of the usual ones
 * @throws Error naming the build command when the function was not built
 */
export function functionAsset(name: FunctionName, functionsPath?: string): Code {
  const candidates = functionsPath === undefined ? folders : [functionsPath];
  const folder = candidates.map((path) => join(path, name)).find((path) => existsSync(join(path, "index.mjs")));
  if (folder === undefined) {
    throw new Error(`The code of the ${name} function is not built: run "npm run build" first.`);
  }
  return Code.fromAsset(folder);
}
