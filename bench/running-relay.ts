import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageRoot } from "../local/paths.js";
import { relayClient } from "../test/support/relay.js";

/** The local relay as `npm start` runs it, in a process of its own, with a data folder that goes with it. */
export interface RunningRelay extends ReturnType<typeof relayClient> {
  readonly url: string;
  readonly awsUrl: string;
  /** Megabytes that the process has in memory now. */
  memoryMb(): number;
  /** Seconds of CPU that the process has used by now, its threads included; whole ones. */
  cpuSeconds(): number;
  close(): Promise<void>;
}

export async function startRunningRelay(): Promise<RunningRelay> {
  const dataDir = await mkdtemp(join(tmpdir(), "steadyhook-bench-"));
  const child = spawn(process.execPath, [join(packageRoot, "dist/local/main.mjs")], {
    env: { ...process.env, PORT: "0", STEADYHOOK_AWS_PORT: "0", STEADYHOOK_DATA: dataDir, LOG_LEVEL: "error" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const banner = await firstWords(child);
  const urlOf = (label: string): string => new RegExp(`${label} +(http://[\\d.:]+)`).exec(banner)?.[1] ?? "";
  const url = urlOf("ingress");
  return {
    url,
    awsUrl: urlOf("AWS"),
    ...relayClient(url),
    memoryMb: () => Number(asked(child, "rss")) / 1024,
    // [[days-]hours:]minutes:seconds
    cpuSeconds: () =>
      asked(child, "time")
        .split(/[:-]/)
        .reverse()
        .reduce((sum, part, at) => sum + Number(part) * ([1, 60, 3_600, 86_400][at] ?? 0), 0),
    async close() {
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      await gone;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** One value that the system knows of a process. */
const asked = (child: ChildProcess, what: string): string =>
  execFileSync("ps", ["-o", `${what}=`, "-p", String(child.pid)])
    .toString()
    .trim();

/** What it says until it is ready; what it says later is shown, and read: a relay that nobody listens to ends. */
async function firstWords(child: ChildProcess): Promise<string> {
  let said = "";
  const ready = /data +\S+\n/;
  await new Promise<void>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the relay ended with ${code}: ${said}`)));
    child.stdout?.on("data", (chunk: Buffer) => {
      if (ready.test(said)) process.stderr.write(chunk);
      else said += chunk;
      if (ready.test(said)) resolve();
    });
  });
  return said;
}
