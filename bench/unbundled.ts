import { join } from "node:path";
import { build } from "esbuild";
import { packageRoot } from "../local/paths.js";
import { functionNames } from "./first-events.js";

/** Bundles our own code only: packages stay where npm has put them. Resolves to where a function's handler is then. */
export async function buildUnbundled(): Promise<(name: string) => string> {
  const folder = join(packageRoot, "dist/bench/unbundled");
  await build({
    absWorkingDir: packageRoot,
    entryPoints: Object.fromEntries(functionNames.map((name) => [`${name}/index`, `functions/${name}/handler.ts`])),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node20",
    format: "esm",
    packages: "external",
    logLevel: "warning",
  });
  return (name) => join(folder, name, "index.mjs");
}
