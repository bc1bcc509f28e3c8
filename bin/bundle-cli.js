import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** ESM bundles of CommonJS packages need a `require` for Node's built-in modules. */
export const requireBanner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/**
 * Bundles the CLI with everything that it needs, as the package has no dependencies: what AWS takes is in chunks of its
 * own, which a local command does not load.
 *
 * @param {string} outdir
 */
export const bundleCli = (outdir = "dist/bin") =>
  build({
    absWorkingDir: fileURLToPath(new URL("..", import.meta.url)),
    entryPoints: { steadyhook: "bin/steadyhook.ts" },
    outdir,
    chunkNames: "steadyhook/[name]-[hash]",
    outExtension: { ".js": ".mjs" },
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
