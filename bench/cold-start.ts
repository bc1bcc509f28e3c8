import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Engine, startEngine } from "../local/engine.js";
import { packageRoot } from "../local/paths.js";
import { firstEvent, functionNames } from "./first-events.js";
import { type ColdStart, inFreshProcess, loadedBytes } from "./fresh-process.js";
import { type Benchmark, number, type Table, text } from "./report.js";
import { median } from "./stats.js";
import { buildUnbundled } from "./unbundled.js";

const runs = { quick: 3, full: 15 };

const kibibytes = 1024;

/**
 * Import and first invocation of each bundle in fresh processes, beside the same handler with its packages in
 * node_modules. The two take turns, so that whatever else the machine does falls on both. AWS is the local endpoint.
 */
export const coldStart: Benchmark = {
  name: "cold-start",
  async measure(size) {
    const dataDir = await mkdtemp(join(tmpdir(), "steadyhook-bench-"));
    const unbundled = await buildUnbundled();
    const engine = await startEngine({ dataDir, seedDemo: true });
    try {
      const rows = [];
      for (const name of functionNames) rows.push(await compare(engine, name, unbundled(name), runs[size]));
      return [tableOf(rows, runs[size])];
    } finally {
      await engine.close();
      await rm(dataDir, { recursive: true, force: true });
    }
  },
};

async function compare(engine: Engine, name: string, unbundledFile: string, times: number): Promise<Table["rows"][0]> {
  const bundleFile = join(packageRoot, `dist/functions/${name}/index.mjs`);
  const starts: Record<"bundle" | "unbundled", ColdStart[]> = { bundle: [], unbundled: [] };
  for (let run = 0; run < times; run++) {
    starts.bundle.push(await inFreshProcess(engine, name, bundleFile, await firstEvent(engine, name)));
    starts.unbundled.push(await inFreshProcess(engine, name, unbundledFile, await firstEvent(engine, name)));
  }
  const of = (which: keyof typeof starts, ms: (start: ColdStart) => number): number => median(starts[which].map(ms));
  const total = ({ importMs, invokeMs }: ColdStart): number => importMs + invokeMs;
  const onlyImport = ({ importMs }: ColdStart): number => importMs;
  return [
    name,
    of("bundle", onlyImport) / of("unbundled", onlyImport),
    of("bundle", total) / of("unbundled", total),
    of("bundle", onlyImport),
    of("bundle", ({ invokeMs }) => invokeMs),
    of("unbundled", onlyImport),
    of("unbundled", ({ invokeMs }) => invokeMs),
    (await loadedBytes(engine, name, bundleFile, await firstEvent(engine, name))) / kibibytes,
    (await loadedBytes(engine, name, unbundledFile, await firstEvent(engine, name))) / kibibytes,
  ];
}

function tableOf(rows: Table["rows"], times: number): Table {
  return {
    caption: `Medians of ${times} fresh processes. Ratios: bundle to unbundled. Target of the import: ≤ 0.5.`,
    columns: [
      text("function"),
      number("ratio of the import", 2),
      number("with the first invocation", 2),
      number("import, ms"),
      number("first invocation, ms"),
      number("unbundled: import, ms"),
      number("first invocation, ms"),
      number("KiB of JavaScript loaded"),
      number("unbundled: KiB"),
    ],
    rows,
  };
}
