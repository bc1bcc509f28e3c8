#!/usr/bin/env node
// Runs the CLI's bundle. An installed package brings it; a checkout makes it when it is first asked for.
import { existsSync } from "node:fs";

const bundle = new URL("../dist/bin/steadyhook.mjs", import.meta.url);

if (!existsSync(bundle)) {
  try {
    const { bundleCli } = await import("./bundle-cli.js");
    await bundleCli();
  } catch (error) {
    process.stderr.write(`The CLI is not built yet: run \`npm ci && npm run build\`. (${error.message})\n`);
    process.exit(1);
  }
}

try {
  await import(bundle.href);
} catch (error) {
  // Node would print the line of the bundle, which is all of it.
  process.stderr.write(`error: The CLI does not start: ${error.message}\n`);
  process.exit(1);
}
