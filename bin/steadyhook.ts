import { createInterface } from "node:readline/promises";
import { unexpected } from "../cli/cli-error.js";
import { main } from "../cli/main.js";
import packageJson from "../package.json" with { type: "json" };

/** The CLI: `steadyhook …`, with this process as its surroundings. */

// A reader that has seen enough (`| head`) is no failure: there is nobody left to tell anything.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
}

// What `main` does not see, because nobody waits for it, is said in the same way: Node would print the bundle's text.
process.on("uncaughtException", (error) => {
  const { message, details } = unexpected(error, process.env);
  process.stderr.write(`error: ${message}\n${details.fix}\n`);
  process.exit(1);
});

// The SDK is pinned: its notice about a later release's Node version says nothing to the user of this one.
process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  stdout: outputOf(process.stdout),
  stderr: outputOf(process.stderr),
  stdin: { isTTY: process.stdin.isTTY === true, read: readStdin, ask },
  pause,
  interruption,
  now: Date.now,
  version: packageJson.version,
});

function outputOf(stream: NodeJS.WriteStream) {
  return {
    write: (chunk: string | Uint8Array) => void stream.write(chunk),
    isTTY: stream.isTTY === true,
    // Some terminals say 0: they do not know.
    columns: (stream.columns as number | undefined) || undefined,
  };
}

async function readStdin(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

let interrupted: AbortSignal | undefined;

function interruption(): AbortSignal {
  if (interrupted === undefined) {
    const controller = new AbortController();
    process.once("SIGINT", () => controller.abort());
    interrupted = controller.signal;
  }
  return interrupted;
}

function pause(milliseconds: number): Promise<boolean> {
  if (interrupted?.aborted) return Promise.resolve(true);
  return new Promise((resolve) => {
    const end = (interrupted: boolean): void => {
      clearTimeout(timer);
      process.off("SIGINT", interrupt);
      resolve(interrupted);
    };
    const interrupt = (): void => end(true);
    const timer = setTimeout(end, milliseconds, false);
    process.once("SIGINT", interrupt);
  });
}
