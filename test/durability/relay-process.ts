import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { packageRoot } from "../../local/paths.js";

const main = join(packageRoot, "dist/local/main.mjs");

/** Functions that give up early: what hangs at a kill must not hold the test up for a minute and a half. */
const context = {
  "steadyhook:deliverySeconds": 14,
  "steadyhook:connectSeconds": 2,
  "steadyhook:readSeconds": 2,
  // Retries after two seconds go by schedule, those after one by the queue.
  "steadyhook:maxQueueDelaySeconds": 1,
};

/** The local relay as `npm start` runs it, in a process of its own that can be killed and started again. */
export class RelayProcess {
  private child: ChildProcess | undefined;

  private constructor(
    readonly dataDir: string,
    readonly port: number,
    readonly awsPort: number,
  ) {}

  static async at(dataDir: string): Promise<RelayProcess> {
    return new RelayProcess(dataDir, await freePort(), await freePort());
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get awsUrl(): string {
    return `http://127.0.0.1:${this.awsPort}`;
  }

  /** Begins a start; `ready` resolves true when it serves, false when it was killed before. */
  start(): { readonly ready: Promise<boolean> } {
    const child = spawn(process.execPath, [main], {
      env: {
        ...process.env,
        PORT: String(this.port),
        STEADYHOOK_AWS_PORT: String(this.awsPort),
        STEADYHOOK_DATA: this.dataDir,
        STEADYHOOK_CONTEXT: JSON.stringify(context),
        LOG_FORMAT: "text",
        LOG_LEVEL: "error",
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.child = child;
    const ready = new Promise<boolean>((resolve, reject) => {
      child.stdout?.on("data", (chunk) => String(chunk).includes("is ready") && resolve(true));
      child.once("exit", (code, signal) =>
        signal === "SIGKILL" ? resolve(false) : reject(new Error(`the relay ended by itself with ${code ?? signal}`)),
      );
    });
    return { ready };
  }

  /** `kill -9`; resolves when the process is gone. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
