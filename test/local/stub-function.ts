import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { FunctionPool } from "../../local/function-pool.js";
import type { FunctionDefinition } from "../../local/function-worker.js";
import { packageRoot } from "../../local/paths.js";

const folder = mkdtempSync(join(tmpdir(), "steadyhook-stub-"));
let count = 0;
let worker: string | undefined;

/** The worker's entry as `npm run build` bundles it, so that these tests need no build. */
export function workerFile(): string {
  worker ??= join(folder, "worker.mjs");
  buildSync({
    entryPoints: [join(packageRoot, "local/worker.ts")],
    outfile: worker,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
  return worker;
}

/** Writes a function bundle of this source and gives the pool that runs it. */
export function stubFunction(
  source: string,
  overrides: Partial<FunctionDefinition> = {},
  onLine: (line: string) => void = () => {},
  idleMs = 60_000,
): FunctionPool {
  count += 1;
  const handlerFile = join(folder, `function-${count}.mjs`);
  writeFileSync(handlerFile, source);
  const definition: FunctionDefinition = {
    handlerFile,
    handlerName: "handler",
    functionName: "stub",
    functionArn: "arn:aws:lambda:us-east-1:000000000000:function:stub",
    memoryMb: 128,
    environment: {},
    timeoutSeconds: 20,
    maxWorkers: 2,
    eagerWorkers: overrides.maxWorkers ?? 2,
    ...overrides,
  };
  return new FunctionPool(definition, { workerFile: worker ?? workerFile(), onLine, idleMs });
}
