// Bundles everything that runs: the functions as they are deployed, the CDK app, the CLI, the console
// and the local relay.
// `node bin/build.js [--watch-free]`; output in dist/. Plain JavaScript, so that a fresh clone can run it.

import { readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";
import { hashOfInputs, stampBuild } from "./build-stamp.js";
import { bundleCli, requireBanner } from "./bundle-cli.js";
import { bundleConsole } from "./bundle-console.js";

const root = fileURLToPath(new URL("..", import.meta.url));

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  logLevel: "warning",
  outExtension: { ".js": ".mjs" },
};

const functionNames = readdirSync(new URL("../functions", import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !["core", "app", "adapters", "shared"].includes(entry.name))
  .map((entry) => entry.name)
  .filter((name) => readdirSync(new URL(`../functions/${name}`, import.meta.url)).includes("handler.ts"));

/** One function: everything inside, rarely used parts as lazily loaded chunks beside the entry. */
const bundleFunction = (name) =>
  build({
    ...common,
    entryPoints: { index: `functions/${name}/handler.ts` },
    outdir: `dist/functions/${name}`,
    splitting: true,
    minify: true,
    mainFields: ["module", "main"],
    legalComments: "none",
    banner: { js: requireBanner },
    // A function has its credentials in the environment: the SDK's chain of ten other places stays out.
    // No DynamoDB command asks where its endpoint is.
    alias: {
      "@aws-sdk/credential-provider-node": "./functions/adapters/aws/environment-credentials.ts",
      "@aws-sdk/middleware-endpoint-discovery": "./functions/adapters/aws/no-endpoint-discovery.ts",
    },
  });

/** What runs from a checkout or an installed package: our code in one file, packages from node_modules. */
const bundleCommand = (entry, outfile) =>
  build({ ...common, entryPoints: [entry], outfile, packages: "external", sourcemap: "inline" });

// Before they are read: what changes meanwhile is built next time.
const inputs = await hashOfInputs();
await rm(new URL("../dist", import.meta.url), { recursive: true, force: true });
await Promise.all([
  ...functionNames.map(bundleFunction),
  bundleCommand("bin/app.ts", "dist/bin/app.mjs"),
  bundleCli(),
  bundleConsole(),
  bundleCommand("lib/index.ts", "dist/lib/index.js"),
  bundleCommand("local/main.ts", "dist/local/main.mjs"),
  bundleCommand("local/worker.ts", "dist/local/worker.mjs"),
]);
await stampBuild(inputs);
// Its own process would outlive this script where the script goes on.
await stop();
