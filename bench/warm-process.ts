import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Engine } from "../local/engine.js";
import { environmentOf } from "./fresh-process.js";

/** What a function's process took. */
export interface WarmRun {
  /** Milliseconds of CPU, user and system, of each invocation. */
  readonly cpuMs: readonly number[];
  /** Most memory that the process had, in MB of 1,024² bytes. */
  readonly peakMb: number;
}

const child = `
  const [file, events] = process.argv.slice(1);
  const { handler } = await import(file);
  const context = { awsRequestId: "bench", getRemainingTimeInMillis: () => 90_000 };
  const cpuMs = [];
  const { createReadStream } = await import("node:fs");
  const { createInterface } = await import("node:readline");
  // One at a time: what waits is no memory of the function's.
  for await (const line of createInterface({ input: createReadStream(events) })) {
    const event = JSON.parse(line);
    const before = process.cpuUsage();
    const answer = await handler(event, context);
    const { user, system } = process.cpuUsage(before);
    cpuMs.push((user + system) / 1000);
    const failed = (answer?.statusCode ?? 200) >= 300 || (answer?.batchItemFailures ?? []).length > 0;
    if (failed) throw new Error("the handler answered " + JSON.stringify(answer));
  }
  console.log("\\n" + JSON.stringify({ cpuMs, peakMb: process.resourceUsage().maxRSS / 1024 }));
  process.exit(0);`;

/** Calls a handler once for each of these events, in a process of its own. Rejects when one of them fails. */
export async function inWarmProcess(
  engine: Engine,
  name: string,
  file: string,
  events: readonly unknown[],
): Promise<WarmRun> {
  const folder = await mkdtemp(join(tmpdir(), "steadyhook-bench-"));
  try {
    const path = join(folder, "events.jsonl");
    await writeFile(
      path,
      events.map((event) => `${JSON.stringify(event)}\n`),
    );
    const args = ["--input-type=module", "--eval", child, pathToFileURL(file).href, path];
    const options = { env: environmentOf(engine, name), maxBuffer: 1024 ** 3 };
    const { stdout } = await promisify(execFile)(process.execPath, args, options);
    return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as WarmRun;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
