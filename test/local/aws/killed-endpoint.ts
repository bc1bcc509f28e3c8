import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, onTestFinished } from "vitest";

/** The endpoint in a process of its own, for the tests of one file; a bundle of it is made before they begin. */
const root = fileURLToPath(new URL("../../..", import.meta.url));
let bundle = "";

beforeAll(async () => {
  // Within the package, where its imports are found.
  const cache = join(root, "node_modules/.cache");
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "endpoint-process-"));
  bundle = join(folder, "endpoint-process.mjs");
  await build({
    absWorkingDir: root,
    entryPoints: ["test/local/aws/endpoint-process.ts"],
    outfile: bundle,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "warning",
  });
});
afterAll(() => rm(join(bundle, ".."), { recursive: true, force: true }));

/** Starts it; killed when the test ends, if it is not already. */
export const start = (dataDir: string, mode: "serve" | "send" = "serve"): ChildProcess => {
  const child = spawn(process.execPath, [bundle, dataDir, mode], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
};

/** What the process says first: the endpoint's URL, when it serves. */
export async function firstLine(stream: NodeJS.ReadableStream | null): Promise<string> {
  const [chunk] = (await once(stream as NodeJS.ReadableStream, "data")) as [Buffer];
  return chunk.toString().trim();
}

/** `kill -9`. */
export async function killNow(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
