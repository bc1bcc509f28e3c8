import { spawn } from "node:child_process";
import { once } from "node:events";

const server = `
  const server = require("node:http").createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const answer = () => response.writeHead(200, { "content-type": "application/json" }).end('{"ok":true}');
    const afterMs = Number(process.argv[1]);
    request.resume().on("end", () => (afterMs === 0 ? answer() : setTimeout(answer, afterMs)));
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));`;

/**
 * A destination that takes everything, in a process of its own: its CPU time is not counted along. `afterMs`: how long it
 * keeps a request waiting.
 */
export async function startAnsweringProcess(
  afterMs = 0,
): Promise<{ readonly url: string; readonly close: () => void }> {
  const child = spawn(process.execPath, ["--eval", server, String(afterMs)], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  return { url: `http://127.0.0.1:${String(port).trim()}/hooks`, close: () => child.kill() };
}
