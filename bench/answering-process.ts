import { spawn } from "node:child_process";
import { once } from "node:events";

const server = `
  const server = require("node:http").createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    request.resume().on("end", () => response.writeHead(200, { "content-type": "application/json" }).end('{"ok":true}'));
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));`;

/** A destination that takes everything, in a process of its own: its CPU time is not counted along. */
export async function startAnsweringProcess(): Promise<{ readonly url: string; readonly close: () => void }> {
  const child = spawn(process.execPath, ["--eval", server], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  return { url: `http://127.0.0.1:${String(port).trim()}/hooks`, close: () => child.kill() };
}
