import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { env } from "../functions/shared/env.js";
import type { Engine } from "../local/engine.js";
import { region } from "../local/local-account.js";

/** Milliseconds in a process that has just started. */
export interface ColdStart {
  readonly importMs: number;
  readonly invokeMs: number;
}

/** Loads a handler as Lambda's runtime does, calls it once, and says how long both took in the last line. */
const child = `
  const [file, event] = process.argv.slice(1);
  const startMs = performance.now();
  const { handler } = await import(file);
  const loadedMs = performance.now();
  const context = { awsRequestId: "bench", getRemainingTimeInMillis: () => 90_000 };
  const answer = await handler(JSON.parse(event), context);
  const endMs = performance.now();
  const failed = (answer?.statusCode ?? 200) >= 300 || (answer?.batchItemFailures ?? []).length > 0;
  if (failed) throw new Error("the handler answered " + JSON.stringify(answer));
  console.log("\\n" + JSON.stringify({ importMs: loadedMs - startMs, invokeMs: endMs - loadedMs }));
  process.exit(0);`;

/** One cold start of a function of this relay, with the handler from `file`. Rejects when the handler fails. */
export async function inFreshProcess(engine: Engine, name: string, file: string, event: unknown): Promise<ColdStart> {
  const { stdout } = await start(engine, name, file, event, {});
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as ColdStart;
}

/** Bytes of the JavaScript that a cold start loads: V8 names every script that ran. */
export async function loadedBytes(engine: Engine, name: string, file: string, event: unknown): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "steadyhook-bench-"));
  try {
    await start(engine, name, file, event, { NODE_V8_COVERAGE: folder });
    const [report = ""] = await readdir(folder);
    const { result } = JSON.parse(await readFile(join(folder, report), "utf8")) as { result: { url: string }[] };
    const files = new Set(
      result.map(({ url }) => url).filter((url) => url.startsWith("file:") && !url.includes("[eval")),
    );
    const sizes = await Promise.all([...files].map(async (url) => (await stat(fileURLToPath(url))).size));
    return sizes.reduce((sum, size) => sum + size, 0);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function start(engine: Engine, name: string, file: string, event: unknown, more: Record<string, string>) {
  const args = ["--input-type=module", "--eval", child, pathToFileURL(file).href, JSON.stringify(event)];
  return promisify(execFile)(process.execPath, args, { env: { ...environmentOf(engine, name), ...more } });
}

/** What a function finds in its environment. */
export function environmentOf(engine: Engine, name: string): Record<string, string> {
  return {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_ENDPOINT_URL: engine.awsUrl,
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
    ...engine.wiring.functions.find(({ label }) => label === name)?.environment,
    [env.allowLoopback]: "true",
  };
}
