import { main } from "../../cli/main.js";

export interface CliRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutBytes: Buffer;
}

export interface CliSurroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Buffer;
  /** stdin, stdout and stderr are a terminal of this width. Default: none is a terminal. */
  readonly terminal?: number;
  /** What the user says to a question. */
  readonly answer?: string;
  readonly nowMs?: number;
  /** What happens while the command waits, after what it has printed so far; true: the user interrupts it. */
  readonly pause?: (printed: { readonly stdout: string; readonly stderr: string }) => Promise<boolean>;
}

/** Runs one command line in this process, with everything that it prints captured. */
export async function runCli(args: readonly string[], surroundings: CliSurroundings = {}): Promise<CliRun> {
  const { env = {}, stdin = "", terminal, answer = "", nowMs, pause = async () => false } = surroundings;
  const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const text = (name: "stdout" | "stderr") => Buffer.concat(chunks[name]).toString();
  const output = (name: "stdout" | "stderr") => ({
    write: (chunk: string | Uint8Array) => void chunks[name].push(Buffer.from(chunk as string)),
    isTTY: terminal !== undefined,
    columns: terminal,
  });
  const code = await main(args, {
    env,
    stdout: output("stdout"),
    stderr: output("stderr"),
    stdin: {
      isTTY: terminal !== undefined,
      read: () => Promise.resolve(Buffer.from(stdin as string)),
      ask: (question) => {
        chunks.stderr.push(Buffer.from(question));
        return Promise.resolve(answer);
      },
    },
    pause: () => pause({ stdout: text("stdout"), stderr: text("stderr") }),
    interruption: () => new AbortController().signal,
    now: () => nowMs ?? Date.now(),
    version: "1.2.3",
  });
  const stdoutBytes = Buffer.concat(chunks.stdout);
  return { code, stdout: stdoutBytes.toString(), stderr: Buffer.concat(chunks.stderr).toString(), stdoutBytes };
}
