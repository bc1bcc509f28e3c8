/**
 * `npm run bench`: measures, prints the tables, and writes dist/bench/{name}.json. `-- cold-start delivery` measures
 * these only; `-- --quick` does little of everything; `-- --write` puts the tables into docs/performance.md. Nothing is
 * judged: the page names the targets.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { packageRoot } from "../local/paths.js";
import { backlogInMemory, backlogOnTheLocalRelay } from "./backlog.js";
import { coldStart } from "./cold-start.js";
import { delivery } from "./delivery.js";
import { documentTables } from "./document.js";
import { functionCpu } from "./function-cpu.js";
import { ingressCpu } from "./ingress-cpu.js";
import { localRelay } from "./local-relay.js";
import { type Benchmark, markdown, type Size } from "./report.js";
import { retryTiming } from "./retry-timing.js";

// The SDK is pinned: its notice about a later release's Node version says nothing here.
process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";

const benchmarks: readonly Benchmark[] = [
  coldStart,
  ingressCpu,
  functionCpu,
  delivery,
  localRelay,
  retryTiming,
  backlogInMemory,
  backlogOnTheLocalRelay,
];

const options = process.argv.slice(2).filter((argument) => argument.startsWith("--"));
const names = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const unknown = names.find((name) => !benchmarks.some((each) => each.name === name));
if (unknown !== undefined) {
  throw new Error(`no benchmark ${unknown}: there are ${benchmarks.map(({ name }) => name).join(", ")}`);
}

/** What stands in the page as long as nobody has measured at length. */
const quickNote =
  "*A quick run on a busy machine: it shows the form. `npm run bench -- --write` takes the figures.*\n\n";

const size: Size = options.includes("--quick") ? "quick" : "full";
const folder = join(packageRoot, "dist/bench");
await mkdir(folder, { recursive: true });
for (const { name, measure } of benchmarks.filter((each) => names.length === 0 || names.includes(each.name))) {
  const tables = await measure(size);
  const printed = (size === "quick" ? quickNote : "") + tables.map(markdown).join("\n");
  process.stdout.write(`\n# ${name}\n\n${printed}`);
  const machine = { node: process.versions.node, cores: availableParallelism() };
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify({ name, size, machine, tables }, null, 2)}\n`);
  if (options.includes("--write")) await documentTables(name, printed);
}
