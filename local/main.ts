/** `npm start`: the whole relay on this machine. */
import { type Engine, startEngine } from "./engine.js";
import { engineLine, functionLine, type LineStyle } from "./log-lines.js";
import { type LocalSettings, readSettings } from "./settings.js";
import { StartError } from "./start-error.js";

/** Time for running invocations after Ctrl-C. */
const graceMs = 5_000;

/** Two signals within this time are one wish. */
const sameSignalMs = 500;

// The SDK is pinned: its notice about a later release's Node version says nothing to the user of this one.
process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";

endWithItsReader();
await main();

async function main(): Promise<void> {
  const startedAtMs = Date.now();
  try {
    const settings = readSettings(process.env, process.cwd());
    const style: LineStyle = { colour: process.stdout.isTTY && !process.env["NO_COLOR"], json: settings.jsonLogs };
    const engine = await startEngine({
      port: settings.port,
      awsPort: settings.awsPort,
      dataDir: settings.dataDir,
      allowLoopback: settings.allowLoopback,
      seedDemo: settings.allowLoopback,
      context: settings.context,
      environment: process.env["LOG_LEVEL"] ? { LOG_LEVEL: process.env["LOG_LEVEL"] } : {},
      onFunctionLine: (label, line) => {
        const shown = functionLine(label, line, style, Date.now());
        if (shown !== null) print(shown);
      },
      onEngineLine: (label, text) => print(engineLine(label, text, style, Date.now())),
    });
    endOnSignals(engine, style);
    if (settings.jsonLogs) print(engineLine("engine", `ready at ${engine.gatewayUrl}`, style, Date.now()));
    else print(banner(engine, settings, Date.now() - startedAtMs));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

/** Nobody reads any more (`npm start | head`): the relay ends as on a signal. */
function endWithItsReader(): void {
  let gone = false;
  process.stdout.on("error", () => {
    if (!gone) process.kill(process.pid, "SIGTERM");
    gone = true;
  });
  process.stderr.on("error", () => {});
}

function endOnSignals(engine: Engine, style: LineStyle): void {
  let endingSinceMs: number | null = null;
  const end = (): void => {
    // One Ctrl-C comes twice: from the terminal, and handed on by npm.
    if (endingSinceMs !== null && Date.now() > endingSinceMs + sameSignalMs) process.exit(130);
    if (endingSinceMs !== null) return;
    endingSinceMs = Date.now();
    print(engineLine("engine", "ending; Ctrl-C again ends at once", style, Date.now()));
    // Whatever a library may keep open: all state is written by now.
    void engine.close(graceMs).then(() => process.exit(0));
  };
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
}

function banner({ gatewayUrl, awsUrl }: Engine, { dataDir, allowLoopback }: LocalSettings, tookMs: number): string {
  const json = "-H 'content-type: application/json'";
  const lines = [
    "",
    `Steadyhook is ready (${(tookMs / 1000).toFixed(1)} s). Ctrl-C ends it.`,
    "",
    `  ingress  ${gatewayUrl}/in/{sourceId}`,
    `  admin    ${gatewayUrl}/admin`,
    `  console  ${gatewayUrl}/console/`,
    `  sink     ${gatewayUrl}/sink   (what it received: /sink/requests)`,
    `  AWS      ${awsUrl}   (AWS_ENDPOINT_URL for the aws CLI and SDKs; region us-east-1, any credentials)`,
    `  data     ${dataDir}`,
    "",
  ];
  const examples = [
    "Try it: an event for the source demo, one whose first two attempts fail, and what became of them",
    "",
    `  curl -i ${gatewayUrl}/in/demo ${json} -d '{"hello":"world"}'`,
    `  curl -i '${gatewayUrl}/in/demo?status=503&times=2' ${json} -d '{"hello":"again"}'`,
    `  curl -s '${gatewayUrl}/admin/deliveries?sourceId=demo'`,
    "",
  ];
  return [...lines, ...(allowLoopback ? examples : [])].join("\n");
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
