import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { join } from "node:path";
import { repository } from "./markdown.js";

export interface LineRun {
  readonly code: number;
  /** stdout and stderr as they came. */
  readonly output: string;
}

const endMark = "<<end of line>>";

/** A shell as a reader has it open: lines are typed one after the other, and variables stay. */
export class Shell {
  readonly #process: ChildProcessWithoutNullStreams;
  #output = "";

  /** `steadyhook` of `npx` is the checkout's own, against the relay at `url`. */
  constructor(url: string) {
    const env = { ...process.env, STEADYHOOK_URL: url, NO_COLOR: "1" };
    this.#process = spawn("bash", ["--norc"], { cwd: repository, env });
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream.on("data", (chunk) => (this.#output += String(chunk)));
    }
    const binary = join(repository, "bin/steadyhook.js");
    this.#process.stdin.write(`exec 2>&1\nset -o pipefail\n`);
    this.#process.stdin.write(`npx() { shift; "${process.execPath}" "${binary}" "$@"; }\n`);
  }

  async run(line: string): Promise<LineRun> {
    this.#output = "";
    this.#process.stdin.write(`${line}\necho "${endMark} $?"\n`);
    const end = new RegExp(`${endMark} (\\d+)\\n$`);
    return new Promise((resolve, reject) => {
      const look = () => {
        const code = end.exec(this.#output)?.[1];
        if (code === undefined) return;
        this.#process.stdout.off("data", look);
        this.#process.off("close", gone);
        resolve({ code: Number(code), output: this.#output.replace(end, "") });
      };
      const gone = () => reject(new Error(`The shell ended during: ${line}\n${this.#output}`));
      this.#process.stdout.on("data", look);
      this.#process.once("close", gone);
    });
  }

  close(): void {
    this.#process.kill("SIGKILL");
  }
}
