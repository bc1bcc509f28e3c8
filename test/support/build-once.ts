import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Builds what the tests of the template and of the local engine run: the same bundles that are deployed.
 * `STEADYHOOK_SKIP_BUILD=1` leaves an existing build as it is (one test file, again and again).
 */
export default function buildOnce(): void {
  if (process.env["STEADYHOOK_SKIP_BUILD"] === "1") return;
  execFileSync(process.execPath, [fileURLToPath(new URL("../../bin/build.js", import.meta.url))], { stdio: "inherit" });
  // Each of Vitest's projects asks.
  process.env["STEADYHOOK_SKIP_BUILD"] = "1";
}
