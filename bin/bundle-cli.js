import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** ESM bundles of CommonJS packages need a `require` for Node's built-in modules. */
export const requireBanner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/**
 * Bundles the CLI into dist/bin with everything that it needs, as the package has no dependencies: what AWS takes is in
 * chunks of its own, which a local command does not load. The entry is written last and at once: where it is, all is.
 */
export async function bundleCli() {
  const { outputFiles } = await build({
    absWorkingDir: fileURLToPath(new URL("..", import.meta.url)),
    entryPoints: { steadyhook: "bin/steadyhook.ts" },
    outdir: "dist/bin",
    chunkNames: "steadyhook/[name]-[hash]",
    outExtension: { ".js": ".mjs" },
    write: false,
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node20",
    format: "esm",
    minify: true,
    keepNames: true,
    mainFields: ["module", "main"],
    legalComments: "none",
    banner: { js: requireBanner },
    logLevel: "warning",
  });
  const isEntry = ({ path }) => path.endsWith("steadyhook.mjs");
  for (const file of outputFiles.toSorted((a, b) => Number(isEntry(a)) - Number(isEntry(b)))) {
    await mkdir(dirname(file.path), { recursive: true });
    const unfinished = `${file.path}.${process.pid}`;
    await writeFile(unfinished, file.contents);
    await rename(unfinished, file.path);
  }
}
