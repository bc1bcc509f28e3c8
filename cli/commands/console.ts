import { type Command, InvalidArgumentError } from "commander";
import type { Io } from "../io.js";
import { describeCommand, run } from "../program.js";
import type { Session } from "../session.js";

interface ConsoleOptions {
  readonly port?: number;
  readonly open: boolean;
}

/** `steadyhook console`: the console in a browser, its calls signed here. */
export function addConsole(root: Command, io: Io): void {
  const command = describeCommand(
    root.command("console"),
    "Serve the console on this machine: it sees and does what your credentials may.",
    [["console --stack Relay", "the console of a relay on AWS"], ["console --stack Relay --port 9000 --no-open"]],
  )
    .option("--port <n>", "port on 127.0.0.1 (default: a free one)", portOf)
    .option("--no-open", "print the URL only, open no browser");
  run<ConsoleOptions>(io, command, serve);
}

async function serve(session: Session, { port, open }: ConsoleOptions): Promise<void> {
  const [{ startConsole }, { consoleFolder }, { openBrowser }] = await Promise.all([
    import("../console/console-server.js"),
    import("../console/console-folder.js"),
    import("../console/open-browser.js"),
  ]);
  const client = await session.relay();
  const { stack, relay, region, profile } = session.options;
  const named = { stack, relay, region, profile, url: stack === undefined ? client.address.baseUrl : undefined };
  const options = Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${value}`]));
  const running = await startConsole({
    client,
    relay: {
      label: stack === undefined ? client.address.baseUrl : `stack ${stack}`,
      ingressUrl: client.address.ingressUrl,
      command: ["npx steadyhook", ...options].join(" "),
    },
    folder: consoleFolder(),
    port: port ?? 0,
  });
  session.result({ url: running.url }, () => session.line(running.url));
  session.note("Whoever has this URL acts with your credentials. Ctrl-C ends the console.");
  if (open && session.io.stdout.isTTY) openBrowser(running.url);
  await new Promise<void>((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  await running.close();
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("It must be a port number up to 65535.");
}
