// npm run test:simulation -- [--seeds N] [--from S]: plays seeds S … S+N−1 (default 2000 from 1) and stops at the first
// that breaks a promise, naming it. With --outage instead: the outages, backlogs and floods of outage.test.ts and
// flood.test.ts at full length.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "2000" },
    from: { type: "string", default: "1" },
    outage: { type: "boolean", default: false },
  },
});
for (const [name, value] of Object.entries(values)) {
  if (typeof value === "boolean" || /^[1-9]\d*$/.test(value)) continue;
  console.error(`--${name} must be a whole number from 1 (got "${value}")`);
  process.exit(2);
}
const root = fileURLToPath(new URL("../..", import.meta.url));
const files = values.outage ? ["outage", "flood"] : ["simulation"];
const vitest = ["node_modules/vitest/vitest.mjs", "run", ...files.map((name) => `test/simulation/${name}.test.ts`)];
const env = {
  ...process.env,
  SIMULATION_SEEDS: values.seeds,
  SIMULATION_FROM: values.from,
  ...(values.outage ? { SIMULATION_OUTAGE: "full" } : {}),
  // The simulation runs from source.
  STEADYHOOK_SKIP_BUILD: "1",
};
process.exit(spawnSync(process.execPath, vitest, { cwd: root, env, stdio: "inherit" }).status ?? 1);
